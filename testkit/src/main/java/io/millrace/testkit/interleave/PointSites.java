// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Gives a number to each site. A site is the position of a schedule point in the woven code, with the access that
 * follows the point. A schedule records each step as one number, which contains the number of the thread and the number
 * of the site.
 */
final class PointSites {

    /** The site of a thread that has not reached a schedule point yet. */
    static final int START = 0;

    /** Maximum number of threads in a schedule, so that a step has room for the number of the thread. */
    static final int TASKS = 256;

    private static final AtomicInteger LAST = new AtomicInteger();
    private static final Map<String, Integer> NUMBERS = new ConcurrentHashMap<>();
    private static final Map<Integer, String> TEXTS = new ConcurrentHashMap<>(Map.of(START, "starts"));

    private PointSites() {}

    /** The number of the site with this text. It stays the same as long as the JVM runs. Thread-safe. */
    static int number(String text) {
        return NUMBERS.computeIfAbsent(text, key -> {
            int number = LAST.incrementAndGet();
            TEXTS.put(number, key);
            return number;
        });
    }

    static String text(int site) {
        return TEXTS.getOrDefault(site, "?");
    }

    static int step(int task, int site) {
        return site * TASKS + task;
    }

    /** The steps as text. */
    static List<String> describe(int[] steps, List<String> names) {
        return IntStream.of(steps)
                .mapToObj(step -> names.get(step % TASKS) + ": " + text(step / TASKS))
                .toList();
    }
}
