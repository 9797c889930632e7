// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.Locale;

/**
 * Why a row was not written.
 *
 * @param message one line for a person, with the values that matter
 */
public record Rejection(Reason reason, String message) {

    /** The kinds of reasons; {@link #code} is what the rejects file says. */
    public enum Reason {
        TOO_FEW_FIELDS,
        TOO_MANY_FIELDS,
        TEXT_AFTER_QUOTE,
        QUOTE_NOT_CLOSED,
        FIELD_TOO_LONG,
        NOT_UTF8,
        /** A value that the source could not give in a form that can be written. */
        UNREADABLE_VALUE,
        KEY_EMPTY,
        /** Pairs are packed by the number at the end of their keys, and this key has none. */
        KEY_NOT_NUMBERED,
        FIELD_NAME_EMPTY,
        /** Every value of the row is NULL, so there is nothing to write. */
        NO_VALUE,
        /** The server answered with an error; the message holds its words. */
        SERVER_ERROR;

        /** This reason in lower case with hyphens, such as {@code too-few-fields}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
