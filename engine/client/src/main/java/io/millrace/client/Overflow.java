// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Policy for a command that would exceed the limit of commands or bytes in flight. */
public enum Overflow {
    /**
     * The command waits until it no longer exceeds the limit. A command that still waits at its deadline is refused.
     */
    BLOCK,
    /** The command is refused immediately, without a wait. */
    REFUSE
}
