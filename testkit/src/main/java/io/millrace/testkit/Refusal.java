// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/** How a {@link FaultProxy} keeps new clients out. */
public enum Refusal {
    /** The connection is accepted and reset at once: connecting succeeds, and the first read or write fails. */
    RESET,
    /** Nobody listens on the port: connecting fails. */
    CLOSED_PORT
}
