// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A range of numbers, such as the keys of a table, that several sources can share.
 *
 * @param from the first
 * @param to the number after the last, at least {@code from}
 */
public record Range(long from, long to) {

    public Range {
        if (from > to || to - from < 0) {
            throw new IllegalArgumentException(
                    "not a range: from=" + from + ", to=" + to + ". It has none to 9,223,372,036,854,775,807 numbers.");
        }
    }

    /** How many numbers it has. */
    public long size() {
        return to - from;
    }

    /**
     * Consecutive ranges that together are this one, and differ in size by at most one.
     *
     * @param parts how many, 1 to 65,536; if there are more than numbers, some are empty
     */
    public List<Range> split(int parts) {
        Ranges.check("parts", parts, 1, 1 << 16);
        return IntStream.range(0, parts)
                .mapToObj(part -> new Range(boundary(part, parts), boundary(part + 1, parts)))
                .toList();
    }

    private long boundary(int part, int parts) {
        long whole = size() / parts;
        long rest = size() % parts;
        return from + whole * part + Math.min(part, rest);
    }
}
