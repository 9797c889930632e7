// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;

/** Counts what the replies of one read have decided, so that the account is touched once for all of them. The reader's. */
final class Tally {

    private long ok;
    private long error;

    void count(Reply answer) {
        if (answer instanceof Reply.ErrorReply) {
            error++;
        } else {
            ok++;
        }
    }

    /** Moves what was counted to {@code account}. */
    void moveTo(Account account) {
        if (ok + error > 0) {
            account.answered(ok, error);
            ok = 0;
            error = 0;
        }
    }
}
