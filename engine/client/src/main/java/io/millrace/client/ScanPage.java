// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * One page of a scan. What was there all the while is found at least once, on some page; anything may be found twice, and a
 * page may be empty before the last.
 *
 * @param cursor for the next page; {@link #START} if this was the last
 * @param found what this page has
 */
public record ScanPage<T>(String cursor, T found) {

    /** The cursor of the first page. */
    public static final String START = "0";

    /** Whether there is no further page. */
    public boolean last() {
        return cursor.equals(START);
    }
}
