// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** An end of a list. The first element is at the left end. */
public enum ListEnd {
    LEFT,
    RIGHT
}
