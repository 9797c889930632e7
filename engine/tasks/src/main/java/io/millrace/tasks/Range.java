// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A range of numbers, such as the keys of a table, that can be divided among several sources.
 *
 * @param from the first number
 * @param to the number after the last number, at least {@code from}
 */
public record Range(long from, long to) {

    public Range {
        if (from > to || to - from < 0) {
            throw new IllegalArgumentException("invalid range: from=" + from + ", to=" + to
                    + ". The size (to - from) must be 0 to 9,223,372,036,854,775,807.");
        }
    }

    /** Size of the range. */
    public long size() {
        return to - from;
    }

    /**
     * Splits this range into consecutive ranges whose sizes differ by at most one.
     *
     * @param parts number of ranges, 1 to 65,536; some ranges are empty if there are more ranges than numbers
     */
    public List<Range> split(int parts) {
        RangeChecks.check("parts", parts, 1, 1 << 16);
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
