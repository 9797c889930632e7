// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * What a scan looks for.
 *
 * @param match a pattern such as {@code user:*}; what does not match is left out of the pages, not of the work
 * @param count how much the server looks at for one page, about: 1 to 1,000,000
 */
public record ScanOptions(String match, int count) {

    /** Everything, ten at a time as the server has it by default. */
    public static final ScanOptions DEFAULT = new ScanOptions("*", 10);

    public ScanOptions {
        Ranges.check("count", count, 1, 1_000_000);
    }

    /** These options, for what matches {@code pattern}. */
    public ScanOptions withMatch(String pattern) {
        return new ScanOptions(pattern, count);
    }

    /** These options, with pages of about {@code newCount}. */
    public ScanOptions withCount(int newCount) {
        return new ScanOptions(match, newCount);
    }

    /** Adds a scan's cursor and these options. */
    Arguments addTo(Arguments arguments, String cursor) {
        arguments.add(cursor);
        if (!match.equals(DEFAULT.match)) {
            arguments.add("MATCH").add(match);
        }
        return arguments.add("COUNT").add(count);
    }
}
