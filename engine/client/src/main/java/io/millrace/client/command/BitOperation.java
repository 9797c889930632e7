// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** The bitwise operation of {@code BITOP}. */
public enum BitOperation {
    AND,
    OR,
    XOR,
    /** Inverts the only source. */
    NOT
}
