// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** What became of the commands of one round. */
public record Outcomes(long ok, long error, long timedOut, long refused, long lost) {

    public static final Outcomes NONE = new Outcomes(0, 0, 0, 0, 0);

    /** Of commands that were all answered: {@code error} with an error, the others well. */
    public static Outcomes answered(long replies, long error) {
        return new Outcomes(replies - error, error, 0, 0, 0);
    }

    /** What came to these since they were {@code earlier}. */
    public Outcomes minus(Outcomes earlier) {
        return new Outcomes(
                ok - earlier.ok,
                error - earlier.error,
                timedOut - earlier.timedOut,
                refused - earlier.refused,
                lost - earlier.lost);
    }

    /** How many commands came to an end. */
    public long settled() {
        return ok + error + timedOut + refused + lost;
    }
}
