// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/** The way a {@link FaultProxy} refuses new connections. */
public enum RefusalMode {
    /** The connection is accepted and reset at once: connecting succeeds, and the first read or write fails. */
    RESET,
    /** The port is closed: connecting fails. */
    CLOSED_PORT
}
