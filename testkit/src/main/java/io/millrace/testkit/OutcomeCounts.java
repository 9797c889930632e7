// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/**
 * Numbers of commands by outcome. A test reads them from the stats of a client. This record does not check the numbers;
 * {@link StatsCheck} checks them.
 */
public record OutcomeCounts(long submitted, long ok, long error, long timedOut, long refused, long lost, long pending) {

    /** Whether every command has exactly one outcome, no command is pending, and no number is negative. */
    boolean isClosed() {
        boolean plausible = Math.min(Math.min(Math.min(ok, error), Math.min(timedOut, refused)), lost) >= 0;
        return plausible && pending == 0 && submitted == ok + error + timedOut + refused + lost;
    }

    @Override
    public String toString() {
        return "submitted=" + submitted + ", ok=" + ok + ", error=" + error + ", timedOut=" + timedOut + ", refused="
                + refused + ", lost=" + lost + ", pending=" + pending + ", missing="
                + (submitted - ok - error - timedOut - refused - lost - pending);
    }
}
