// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/** The direction of bytes through a {@link FaultProxy}. */
public enum Direction {
    /** From client to server: requests. */
    TO_SERVER,
    /** From server to client: replies and pushes. */
    TO_CLIENT
}
