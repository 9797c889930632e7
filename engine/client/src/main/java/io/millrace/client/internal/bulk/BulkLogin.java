// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.Credentials;
import io.millrace.client.internal.connect.Login;
import io.millrace.resp.Reply;

/** Logs in again over a bulk connection after the credentials have changed. Used by the owner of the connection. */
final class BulkLogin {

    private final Login login;
    private final BulkOutput output;
    private final BulkReplies replies;
    private final BulkProgress progress;

    /** The credentials that were sent last over this connection, except those of the handshake. */
    private Login.Renewed renewed;

    /**
     * Follows the credentials of {@code login}.
     *
     * @param version version of the credentials of the handshake
     */
    BulkLogin(Login login, long version, BulkOutput output, BulkReplies replies, BulkProgress progress) {
        this.login = login;
        this.output = output;
        this.replies = replies;
        this.progress = progress;
        this.renewed = new Login.Renewed(version, Credentials.none());
    }

    boolean isDue() {
        return renewed.version() < login.version();
    }

    /**
     * Logs in again with the renewed credentials. Waits first for the replies to all earlier commands, and then for the
     * reply to {@code AUTH}. So the {@code AUTH} needs no permit, and the ring has a free slot for it. If a command that
     * has timed out still owes its reply, the next command tries again.
     *
     * @param finish sends all written commands, and reports their outcomes
     */
    void renew(Runnable finish) {
        finish.run();
        if (replies.replied() < progress.written() || replies.ending() != null) {
            return;
        }
        renewed = login.latest();
        output.login(renewed.credentials());
        finish.run();
    }

    void answered(Reply reply) {
        login.answered(BulkConnection.NAME, renewed, reply);
    }
}
