// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import java.util.Optional;

/**
 * How far the replication of a server has come, as {@code INFO replication} says.
 *
 * <pre>
 *   replication history    before the failover        after it, in the promoted replica
 *   master_replid          id ----------------+       id
 *   master_repl_offset     offset             |       offset, which continues
 *   master_replid2                            +-----> earlierId
 *   second_repl_offset                                earlierEnd: the server has all writes below this offset
 * </pre>
 *
 * @param primary whether the server is a primary
 * @param earlierId the history that the server has continued; empty if there is none
 * @param earlierEnd first offset of the earlier history that the server does not have
 */
record ReplicationState(boolean primary, String id, long offset, Optional<String> earlierId, long earlierEnd) {

    /** The value of {@code master_replid2} of a server that has continued no history. */
    private static final String NONE = "0+";

    /** The state in {@code mark}, the outcome of a mark; empty if the server does not report it. */
    static Optional<ReplicationState> of(Outcome mark) {
        return mark instanceof Outcome.Ok ok
                ? ServerFacts.of(ok.reply()).flatMap(ReplicationState::of)
                : Optional.empty();
    }

    static Optional<ReplicationState> of(ServerFacts facts) {
        Optional<String> id = facts.text("master_replid").filter(text -> !text.isEmpty());
        if (id.isEmpty() || facts.number("master_repl_offset").isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ReplicationState(
                facts.text("role").equals(Optional.of("master")),
                id.get(),
                facts.number("master_repl_offset").getAsLong(),
                facts.text("master_replid2").filter(earlier -> !earlier.matches(NONE)),
                facts.number("second_repl_offset").orElse(0)));
    }

    /** Whether the server has continued the history {@code id}. */
    boolean continues(String history) {
        return earlierId.isPresent() && earlierId.get().equals(history);
    }
}
