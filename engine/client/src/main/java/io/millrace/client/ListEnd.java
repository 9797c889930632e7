// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** An end of a list; the left one holds its first element. */
public enum ListEnd {
    LEFT,
    RIGHT
}
