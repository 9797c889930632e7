// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Fusion;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;

/**
 * Decides to which rows of a fused command an error reply applies.
 *
 * <ul>
 *   <li>Fused {@code HSET}: the error applies to every row. {@code HSET} fails because of the type of the key, the
 *       permissions for the key, or the state of the server. All rows of a fused {@code HSET} have the same key.
 *   <li>Fused {@code SET}: the error may apply to only some of the rows, because the permissions may differ from key to
 *       key. When the client opens a connection, it permits this fusion only if the user may write every key. But the
 *       permissions may change later, and a proxy may refuse a command with several keys. {@code SET} does not fail
 *       because of the type of a key. An error that concerns the server, such as {@code OOM}, applies to every row.
 * </ul>
 */
final class FusedError {

    private FusedError() {}

    /** Whether another row of the same fused command may have caused {@code error}. */
    static boolean mayBeOfAnotherRow(RowMapping mapping, ErrorReply error) {
        return error.fused()
                && mapping.fusion().contains(Fusion.SET)
                && !ServerError.of(error).concernsServer();
    }
}
