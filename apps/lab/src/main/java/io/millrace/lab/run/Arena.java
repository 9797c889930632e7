// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/**
 * What contenders have around them in their rounds: what is put in order before, watched meanwhile, and looked at
 * after.
 */
sealed interface Arena permits OnServer, Alone {

    /** The one for {@code workload}, with {@code server} if it is about one. */
    static Arena of(Workload workload, RedisServer server) {
        return workload.needsServer() ? new OnServer(server) : new Alone();
    }

    /** Has a contender that is {@code ready} do a round, shows how it goes, and judges what it did. */
    Sample round(Turn turn, Entrant ready, Progress progress);

    /** Returns when nothing more comes of what a contender began that has failed. */
    void settle();

    /**
     * A contender's go.
     *
     * @param round 0 and below are warm-ups
     * @param operations that it is asked for
     * @param what is shown of it
     */
    record Turn(Workload workload, Contender contender, int round, long operations, String what) {}
}
