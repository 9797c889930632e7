// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/** Numbers of commands by their outcome. */
public record Outcomes(long ok, long error, long timedOut, long refused, long lost) {

    public static final Outcomes NONE = new Outcomes(0, 0, 0, 0, 0);

    public static Outcomes ok(long commands) {
        return new Outcomes(commands, 0, 0, 0, 0);
    }

    public long failed() {
        return error + timedOut + refused + lost;
    }

    public long total() {
        return ok + failed();
    }

    public Outcomes plus(Outcomes other) {
        return new Outcomes(
                ok + other.ok,
                error + other.error,
                timedOut + other.timedOut,
                refused + other.refused,
                lost + other.lost);
    }

    public Outcomes minus(Outcomes other) {
        return new Outcomes(
                ok - other.ok,
                error - other.error,
                timedOut - other.timedOut,
                refused - other.refused,
                lost - other.lost);
    }
}
