// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import io.millrace.resp.Reply;

/**
 * Counts the outcomes decided by the replies of one read, so that the shared stats are updated once per read. Used by
 * the reader.
 */
public final class ReplyCounter {

    private long ok;
    private long error;

    public void count(Reply answer) {
        if (answer instanceof Reply.ErrorReply) {
            error++;
        } else {
            ok++;
        }
    }

    /** Adds the counts to {@code stats} and resets them. */
    public void addTo(StatsCounter stats) {
        if (ok + error > 0) {
            stats.countAnswered(ok, error);
            ok = 0;
            error = 0;
        }
    }
}
