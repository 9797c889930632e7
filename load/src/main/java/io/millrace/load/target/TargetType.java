// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/** What a row becomes in Redis. */
public enum TargetType {
    /** A string key holding one value. */
    STRING,
    /** A hash with a field per column, or one field of a hash. */
    HASH,
    /** A string key holding the row as a JSON document. */
    JSON
}
