// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/**
 * The stats of a client as the test reads them: how many commands had which outcome. No value is checked here; {@link
 * StatsCheck} checks them.
 */
public record OutcomeCounts(long submitted, long ok, long error, long timedOut, long refused, long lost, long pending) {

    /** Every command has had exactly one outcome. */
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
