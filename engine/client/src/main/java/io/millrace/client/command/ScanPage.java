// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * One page of a scan. An element that exists during the whole scan is found at least once. Any element may be found
 * more than once, and a page before the last may be empty.
 *
 * @param cursor cursor of the next page; {@link #START} if this is the last page
 * @param found content of this page
 */
public record ScanPage<T>(String cursor, T found) {

    /** Cursor of the first page. */
    public static final String START = "0";

    /** Whether this is the last page. */
    public boolean last() {
        return cursor.equals(START);
    }
}
