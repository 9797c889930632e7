// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Submitted commands counted by outcome. Each submitted command is in exactly one of the other counts.
 *
 * @param ok the server replied without an error
 * @param error the server replied with an error
 * @param timedOut the deadline passed before a reply arrived
 * @param refused never sent: the limit of commands or bytes in flight was reached
 * @param lost the connection ended before a reply arrived
 * @param pending no outcome yet
 */
public record CommandCounts(long submitted, long ok, long error, long timedOut, long refused, long lost, long pending) {

    /** All counts are zero. */
    public static final CommandCounts NONE = new CommandCounts(0, 0, 0, 0, 0, 0, 0);

    public CommandCounts {
        if (submitted != ok + error + timedOut + refused + lost + pending) {
            throw new IllegalArgumentException("commands do not add up: submitted=" + submitted + ", ok=" + ok
                    + ", error=" + error + ", timedOut=" + timedOut + ", refused=" + refused + ", lost=" + lost
                    + ", pending=" + pending);
        }
    }

    /** Returns the sums of these counts and {@code other}. */
    public CommandCounts plus(CommandCounts other) {
        return new CommandCounts(
                submitted + other.submitted,
                ok + other.ok,
                error + other.error,
                timedOut + other.timedOut,
                refused + other.refused,
                lost + other.lost,
                pending + other.pending);
    }
}
