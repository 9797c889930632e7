// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds the threads that a library has not ended. */
final class LeftThreads {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    /**
     * Threads that a JVM has once, and that do not end: the threads of the JDK; the global thread of Netty, which ends when there is no work; the threads of the native core of GLIDE, which are called Thread-1 and so on.
     */
    private static final Pattern OF_THE_JVM =
            Pattern.compile("ForkJoinPool.*|VirtualThread-unblocker|.*Poller|process reaper.*|junit.*|Cleaner-\\d+"
                    + "|globalEventExecutor.*|Glide.*|glide.*|Thread-\\d+");

    /** Returns the threads that are not in {@code before}. First waits for their end. */
    static List<Thread> since(Set<Thread> before) throws InterruptedException {
        long start = System.nanoTime();
        var left = started(before);
        while (!left.isEmpty() && System.nanoTime() - start < LONGEST_WAIT.toNanos()) {
            left.getFirst().join(LONGEST_WAIT.minusNanos(System.nanoTime() - start));
            left = started(before);
        }
        return left;
    }

    private static List<Thread> started(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread)
                        && !OF_THE_JVM.matcher(thread.getName()).matches())
                .toList();
    }

    private LeftThreads() {}
}
