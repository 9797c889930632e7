// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Threads that a library has left behind. */
public final class LeftThreads {

    private static final Duration PATIENCE = Duration.ofSeconds(150);

    /**
     * Threads there is one set of in a JVM, whoever makes the first need them: the JDK's; Netty's, which ends when it
     * is idle; and those of GLIDE's core, which has no end in a JVM, and whose native ones come as Thread-1 and so on.
     */
    private static final Pattern FOR_ALL = Pattern.compile(
            "ForkJoinPool.*|VirtualThread-unblocker|Cleaner-\\d+|globalEventExecutor.*|Glide.*|Thread-\\d+");

    /** Those that are not among {@code before}, after they have had time to end. */
    public static List<Thread> since(Set<Thread> before) throws InterruptedException {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        Predicate<Thread> isNew = thread ->
                !before.contains(thread) && !FOR_ALL.matcher(thread.getName()).matches();
        var left = Thread.getAllStackTraces().keySet().stream().filter(isNew).toList();
        while (!left.isEmpty() && System.nanoTime() - giveUp < 0) {
            left.getFirst().join(Duration.ofNanos(Math.max(1, giveUp - System.nanoTime())));
            left = Thread.getAllStackTraces().keySet().stream().filter(isNew).toList();
        }
        return left;
    }

    private LeftThreads() {}
}
