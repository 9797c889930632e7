// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Locale;

/**
 * The reason why a row is rejected. A source rejects a row that it cannot read completely. The mapping rejects a row
 * without a key or a value. The loader rejects a row after an error reply.
 *
 * @param message one line for the user, with the values that matter
 */
public record Rejection(Reason reason, String message) {

    /** The kinds of rejections. The rejects file contains the {@link #code}. */
    public enum Reason {
        TOO_FEW_FIELDS,
        TOO_MANY_FIELDS,
        TEXT_AFTER_QUOTE,
        QUOTE_NOT_CLOSED,
        FIELD_TOO_LONG,
        NOT_UTF8,
        /** The record is longer than the limit of the source. Only its beginning was kept. */
        RECORD_TOO_LONG,
        /** The record is not a JSON object, or is not valid JSON. */
        MALFORMED_JSON,
        /** The record has a value that belongs to no column of the source. */
        UNKNOWN_COLUMN,
        /** The driver cannot read a value, or cannot deliver the value in a supported format. */
        UNREADABLE_VALUE,
        KEY_EMPTY,
        /** Buckets need a number at the end of the key, and this key has none. */
        KEY_NOT_NUMBERED,
        /** The name of the row within its key, such as the field of a hash, has an empty column. */
        NAME_EMPTY,
        /** All values of the row are NULL. */
        NO_VALUE,
        /** The value of a column is not a number that the target accepts, such as a score or an offset. */
        NUMBER_INVALID,
        /** The value of the column with the expiry is not a legal time. */
        EXPIRY_INVALID,
        /** The server sent an error reply. Its text is in the message. */
        SERVER_ERROR;

        /** This reason in lower case with hyphens, such as {@code too-few-fields}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
