// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The places in woven code where a point is, by number. A step of a schedule is the number of a thread and that of a site. */
final class Sites {

    /** Where a thread stands that has not come to any point. */
    static final int START = 0;

    /** How many threads a step can tell apart. */
    static final int TASKS = 256;

    private static final AtomicInteger LAST = new AtomicInteger();
    private static final Map<String, Integer> NUMBERS = new ConcurrentHashMap<>();
    private static final Map<Integer, String> TEXTS = new ConcurrentHashMap<>(Map.of(START, "starts"));

    private Sites() {}

    /** The number of the site {@code text}, always the same in one JVM; any thread. */
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

    /** Steps in words. */
    static List<String> describe(int[] steps, List<String> names) {
        return IntStream.of(steps)
                .mapToObj(step -> names.get(step % TASKS) + ": " + text(step / TASKS))
                .toList();
    }
}
