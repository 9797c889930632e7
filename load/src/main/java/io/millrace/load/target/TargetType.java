// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.util.Locale;

/** What a row becomes in Redis. */
public enum TargetType {
    /** A string key holding one value. */
    STRING,
    /** A hash with a field per column, or one field of a hash. */
    HASH,
    /** A string key holding the row as a JSON document. */
    JSON;

    /** This type as it is written on a command line and in messages, such as {@code hash}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
