// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * Options of {@code SORT}. By default, the server compares elements as numbers, and the lowest is first.
 *
 * @param byText whether the server compares elements as text
 * @param descending whether the highest element is first
 * @param offset number of elements to skip, 0 to 2,147,483,647
 * @param count maximum number of elements, 1 to 2,147,483,647
 */
public record SortOptions(boolean byText, boolean descending, long offset, long count) {

    /** Compares numbers, ascending, without a limit. */
    public static final SortOptions DEFAULT = new SortOptions(false, false, 0, Integer.MAX_VALUE);

    public SortOptions {
        Ranges.check("offset", offset, 0L, (long) Integer.MAX_VALUE);
        Arguments.count("count", count);
    }

    /** Returns a copy that compares elements as text. */
    public SortOptions asText() {
        return new SortOptions(true, descending, offset, count);
    }

    /** Returns a copy with the highest element first. */
    public SortOptions reversed() {
        return new SortOptions(byText, !descending, offset, count);
    }

    /** Returns a copy that skips {@code newOffset} elements and returns at most {@code newCount} elements. */
    public SortOptions limit(long newOffset, long newCount) {
        return new SortOptions(byText, descending, newOffset, newCount);
    }

    Arguments addTo(Arguments arguments) {
        if (offset != DEFAULT.offset || count != DEFAULT.count) {
            arguments.add("LIMIT").add(offset).add(count);
        }
        if (descending) {
            arguments.add("DESC");
        }
        return byText ? arguments.add("ALPHA") : arguments;
    }
}
