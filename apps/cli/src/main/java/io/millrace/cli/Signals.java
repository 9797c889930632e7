// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.lang.reflect.Proxy;
import java.util.Arrays;

/**
 * The signals SIGINT and SIGTERM of this process.
 *
 * <p>The class {@code sun.misc.Signal} is the only way to handle a signal in Java. It is used through reflection, because
 * the compiler refuses a direct use. If it is missing, a second signal has no effect.
 */
final class Signals {

    private static final int INTERRUPTED = 130;
    private static final int TERMINATED = 143;

    private Signals() {}

    /**
     * The exit code of the signal that ends the JVM at present: 143 for SIGTERM, otherwise 130. While the JVM ends, a
     * thread with the name of the signal runs the shutdown hooks.
     */
    static int exitCode() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] threads = new Thread[root.activeCount() + 10];
        int count = root.enumerate(threads);
        boolean terminated = Arrays.stream(threads, 0, count)
                .anyMatch(thread -> thread.getName().equals("SIGTERM handler"));
        return terminated ? TERMINATED : INTERRUPTED;
    }

    /** The next SIGINT or SIGTERM ends the JVM at once, without further output. */
    static void endAtNextSignal() {
        handle("INT", INTERRUPTED);
        handle("TERM", TERMINATED);
    }

    private static void handle(String name, int exitCode) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halts = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        Runtime.getRuntime().halt(exitCode);
                        return null;
                    });
            Object named = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, named, halts);
        } catch (ReflectiveOperationException | RuntimeException unsupported) {
            // The JVM does not permit another handler, for example because the signal is ignored.
        }
    }
}
