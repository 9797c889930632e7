// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * The number of submitted commands, and the number of commands for each outcome. Each submitted command is counted in
 * {@code submitted} and in exactly one of the other counts.
 *
 * @param ok commands to which the server replied without an error
 * @param error commands to which the server replied with an error
 * @param timedOut commands whose deadline passed before a reply arrived
 * @param refused commands that were not sent, because the limit of commands or bytes in flight was reached
 * @param lost commands whose connection was closed before a reply arrived
 * @param pending commands that have no outcome yet
 */
public record CommandCounts(long submitted, long ok, long error, long timedOut, long refused, long lost, long pending) {

    /** All counts are zero. */
    public static final CommandCounts NONE = new CommandCounts(0, 0, 0, 0, 0, 0, 0);

    public CommandCounts {
        if (submitted != ok + error + timedOut + refused + lost + pending) {
            throw new IllegalArgumentException("the number of submitted commands is not the sum of the other counts:"
                    + " submitted=" + submitted + ", ok=" + ok + ", error=" + error + ", timedOut=" + timedOut
                    + ", refused=" + refused + ", lost=" + lost + ", pending=" + pending);
        }
    }

    /** Returns the sum of these counts and the counts of {@code other}. */
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
