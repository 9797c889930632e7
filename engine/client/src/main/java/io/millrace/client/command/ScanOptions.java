// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * Options of a scan.
 *
 * @param match pattern of the elements to find, such as {@code user:*}. The server scans about {@code count} elements
 *     and then omits the elements that do not match. So a pattern can make a page smaller, but the server still scans
 *     the same number of elements for the page
 * @param count approximate number of elements that the server scans per page, 1 to 1,000,000
 */
public record ScanOptions(String match, int count) {

    /** Finds all elements, with the server's default of 10 elements per page. */
    public static final ScanOptions DEFAULT = new ScanOptions("*", 10);

    public ScanOptions {
        Ranges.check("count", count, 1, 1_000_000);
    }

    /** Returns a copy with this pattern. */
    public ScanOptions withMatch(String pattern) {
        return new ScanOptions(pattern, count);
    }

    /** Returns a copy that scans about {@code newCount} elements per page. */
    public ScanOptions withCount(int newCount) {
        return new ScanOptions(match, newCount);
    }

    /** Adds {@code cursor} and these options to {@code arguments}. */
    Arguments addTo(Arguments arguments, String cursor) {
        arguments.add(cursor);
        if (!match.equals(DEFAULT.match)) {
            arguments.add("MATCH").add(match);
        }
        return arguments.add("COUNT").add(count);
    }
}
