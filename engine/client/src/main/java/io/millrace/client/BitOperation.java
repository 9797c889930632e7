// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** How the bits of several bitmaps become those of one. */
public enum BitOperation {
    AND,
    OR,
    XOR,
    /** The opposite of the only source. */
    NOT
}
