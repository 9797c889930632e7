// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/** The effect of writing a row a second time. */
public enum Repetition {
    /** Redis then has the same data. */
    CHANGES_NOTHING,
    /** The row is added a second time, as an element of a list or an entry of a stream. */
    ADDS_ROW_AGAIN,
    /** The row is left out, because its key exists. */
    LEAVES_ROW_OUT
}
