// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** An end of a sorted set. */
public enum ScoreEnd {
    /** The member with the lowest score. */
    MIN,
    /** The member with the highest score. */
    MAX
}
