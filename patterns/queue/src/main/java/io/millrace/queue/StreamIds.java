// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** Reads entry IDs of streams, such as {@code 1526919030474-55}. */
final class StreamIds {

    private StreamIds() {}

    /** Returns the time part of an ID. The number is in ms since 1970 if the server created the ID. */
    static long millis(String id) {
        return Long.parseUnsignedLong(id, 0, id.indexOf('-'), 10);
    }
}
