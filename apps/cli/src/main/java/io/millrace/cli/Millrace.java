// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.cli.StandardStreams.PasswordPrompt;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Entry point of the command line.
 *
 * <p>DESIGN: a command has three stages, each with separate types. {@link ArgumentParser} parses the arguments into an
 * {@link Invocation} (typed); {@link LoadRequest} holds the checked arguments (validated); {@link LoadRun} runs the
 * load. Before the second stage has ended, no file is opened for writing and no server is contacted. Only {@link #main}
 * ends the JVM.
 */
public final class Millrace {

    private Millrace() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        LibraryLogs.silence();
        loadSocketsMeanwhile();
        int code = run(args, StandardStreams.ofProcess());
        // System.exit initialises the logging, which takes about 10 ms. The JVM ends without it if no other thread is
        // left.
        if (code != 0 || otherUserThreads()) {
            System.exit(code);
        }
    }

    /**
     * Finds the provider of sockets in another thread, while this thread parses the arguments. The JVM searches all
     * jars for the provider, which takes about 10 ms.
     */
    private static void loadSocketsMeanwhile() {
        Thread.ofPlatform().daemon().name("millrace-start").start(SelectorProvider::provider);
    }

    /** Whether a thread, in addition to this one, keeps the JVM running. */
    private static boolean otherUserThreads() {
        Thread[] threads = new Thread[Thread.activeCount() + 10];
        int count = Thread.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .anyMatch(thread -> !thread.isDaemon() && !thread.equals(Thread.currentThread()));
    }

    /**
     * Runs the command on the calling thread and returns its exit code. Assumes no terminal, so progress is printed as
     * lines.
     *
     * @param out receives the result
     * @param err receives progress and errors
     * @param env the environment variables
     */
    public static int run(String[] args, InputStream in, PrintStream out, PrintStream err, Map<String, String> env) {
        return run(args, new StandardStreams(in, out, err, env, OptionalInt::empty, PasswordPrompt.NONE));
    }

    /** The same, with these streams. */
    static int run(String[] args, StandardStreams standardStreams) {
        SecretMasker secretMasker = new SecretMasker();
        secretMasker.addValueOfFlag(args);
        try {
            return ArgumentParser.parse(args).run(standardStreams, secretMasker).number();
        } catch (RuntimeException | Error thrown) {
            Failure failure = Failure.of(thrown);
            standardStreams.out().flush();
            standardStreams.err().println("millrace: " + secretMasker.mask(failure.message()));
            if (Arrays.asList(args).contains("--debug")) {
                standardStreams.err().print(secretMasker.mask(StackTraces.of(thrown)));
            }
            standardStreams.err().flush();
            return failure.code().number();
        }
    }
}
