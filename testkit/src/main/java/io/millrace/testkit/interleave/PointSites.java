// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Numbers the sites of woven code, which are the positions of its schedule points. A step of a schedule combines the
 * number of a thread and the number of a site.
 */
final class PointSites {

    /** The site of a thread that has not reached any point. */
    static final int START = 0;

    /** Number of threads that a step can tell apart. */
    static final int TASKS = 256;

    private static final AtomicInteger LAST = new AtomicInteger();
    private static final Map<String, Integer> NUMBERS = new ConcurrentHashMap<>();
    private static final Map<Integer, String> TEXTS = new ConcurrentHashMap<>(Map.of(START, "starts"));

    private PointSites() {}

    /** The number of the site {@code text}, always the same in one JVM. Thread-safe. */
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
