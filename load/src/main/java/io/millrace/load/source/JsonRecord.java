// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Arrays;

/**
 * The bytes of one record of a JSON input, before they are parsed.
 *
 * @param bytes buffer that contains the record; its contents are valid until the next record is read
 * @param start position of the first byte that is not white space
 * @param length number of bytes without white space at the end
 * @param hasNonAscii whether a byte is not ASCII, so that the bytes may be no UTF-8
 * @param line line on which the record begins, from 1
 * @param flaw why the record is not complete
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy for each record would cost as much as the parsing
record JsonRecord(byte[] bytes, int start, int length, boolean hasNonAscii, long line, Flaw flaw) {

    /** Why the bytes of a record are not complete. */
    enum Flaw {
        NONE,
        /** The record is longer than the limit. The bytes are its beginning. */
        TOO_LONG,
        /** The input ends inside the record. The bytes are its beginning. */
        NOT_CLOSED
    }

    /** A copy with its own bytes, which stay valid. */
    JsonRecord copied() {
        return new JsonRecord(Arrays.copyOfRange(bytes, start, start + length), 0, length, hasNonAscii, line, flaw);
    }

    boolean isObject() {
        return length > 0 && bytes[start] == '{';
    }
}
