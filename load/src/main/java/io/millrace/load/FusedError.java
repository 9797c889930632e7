// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Fusion;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;

/**
 * The meaning of an error reply to a fused command for the rows of the command.
 *
 * <p>{@code HSET} fails because of the type of the key, the permissions for the key, or the state of the server. Rows
 * of one hash share all of these, so the error applies to each row of a fused {@code HSET}. {@code SET} does not fail
 * because of the type, but the permissions may differ from key to key. The client fuses {@code SET} only if the user
 * may write every key when the connection is opened. The permissions may change later, and a proxy may refuse a command
 * with several keys.
 */
final class FusedError {

    private FusedError() {}

    /** Whether another row of the same fused command may have caused {@code error}. */
    static boolean mayBeOfAnotherRow(RowMapping mapping, ErrorReply error) {
        return error.fused()
                && mapping.fusion().contains(Fusion.SET)
                && FatalServerError.of(error).isEmpty()
                // An OOM error applies to every row of the command.
                && !error.code().equals("OOM");
    }
}
