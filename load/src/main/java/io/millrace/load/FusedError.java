// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Fusion;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;

/**
 * What the error of a fused command means for the rows that are in it.
 *
 * <p>Rows of one hash have everything in common that {@code HSET} can fail for: the type of the key, the right to use it, the
 * state of the server. So its error is that of each of them, as it would be of each alone. {@code SET} fails for no type, but
 * rows of several keys may differ in the rights to them. The client fuses these only for a user who may write every key when the
 * connection is made; rights may change later, and a proxy may object to several keys.
 */
final class FusedError {

    private FusedError() {}

    /** Whether {@code error}, to the command of a row of {@code mapping}, may have been caused by another row that was sent with it. */
    static boolean mayBeOfAnotherRow(RowMapping mapping, ErrorReply error) {
        return error.fused()
                && mapping.fusion().contains(Fusion.SET)
                && ServerTrouble.of(error).isEmpty()
                // Memory is short for all of them.
                && !error.code().equals("OOM");
    }
}
