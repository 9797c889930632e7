// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Fusion;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;
import java.util.Collections;
import java.util.Set;

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
 *   <li>Fused {@code SETBIT}: the server may refuse one offset because of its limit for strings. A key of another type
 *       refuses every row.
 *   <li>Fused scripts: the error may apply to only some of the rows, as with {@code SET}. An error of one key arrives
 *       in the reply of this key, and is marked as fused only if several rows share the key.
 * </ul>
 */
final class FusedError {

    /** Kinds whose errors may belong to another row. */
    private static final Set<Fusion> INDIVIDUAL = Set.of(Fusion.SET, Fusion.SETBIT, Fusion.SCRIPT);

    /** The code of an error that each row of the fused command would also receive alone. */
    private static final String WRONG_TYPE = "WRONGTYPE";

    private FusedError() {}

    /**
     * Whether another row of the same fused command may have caused {@code error}, and a retry of each row is harmless.
     * A script may have written an element before its error, so rows that a retry would add again are not retried.
     */
    static boolean mayBeOfAnotherRow(RowMapping mapping, ErrorReply error) {
        return error.fused()
                && mapping.repetition() != Repetition.ADDS_ROW_AGAIN
                && !Collections.disjoint(mapping.fusion(), INDIVIDUAL)
                && !ServerError.of(error).concernsServer()
                && !error.code().equals(WRONG_TYPE);
    }
}
