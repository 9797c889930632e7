// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Numbers of commands by outcome. Each submitted command is counted in {@code submitted} and in exactly one other
 * count.
 *
 * @param ok the server replied without an error
 * @param error the server replied with an error
 * @param timedOut the deadline passed before a reply arrived
 * @param refused not sent, because the limit of commands or bytes in flight was reached
 * @param lost the connection was closed before a reply arrived
 * @param pending the command has no outcome yet
 */
public record CommandCounts(long submitted, long ok, long error, long timedOut, long refused, long lost, long pending) {

    /** All counts are zero. */
    public static final CommandCounts NONE = new CommandCounts(0, 0, 0, 0, 0, 0, 0);

    public CommandCounts {
        if (submitted != ok + error + timedOut + refused + lost + pending) {
            throw new IllegalArgumentException("submitted commands do not equal the sum of the outcomes: submitted="
                    + submitted + ", ok=" + ok + ", error=" + error + ", timedOut=" + timedOut + ", refused=" + refused
                    + ", lost=" + lost + ", pending=" + pending);
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
