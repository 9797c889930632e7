// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientAccount;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The accounts of all connections that a client has, and the sums of those it had. Any thread; no locks. */
final class Accounts {

    /** Who has an account. */
    interface Accountable {

        ConnectionAccount account();
    }

    private record Sums(CommandCounts counts, long lateReplies, long reconnections, FusionCounts fusion) {

        Sums plus(ConnectionAccount account) {
            return new Sums(
                    counts.plus(account.counts()),
                    lateReplies + account.lateReplies(),
                    reconnections + account.reconnections(),
                    fusion.plus(account.fusion()));
        }
    }

    /** One value, so that a connection is in either part at any moment. */
    private record All(List<Accountable> open, Sums closed) {}

    private final AtomicReference<All> all =
            new AtomicReference<>(new All(List.of(), new Sums(CommandCounts.NONE, 0, 0, FusionCounts.NONE)));

    private final Account withoutConnection = new Account();

    /** A command ended before there was a connection for it. */
    void notSubmitted(Outcome outcome) {
        withoutConnection.submitted();
        withoutConnection.ended(outcome);
    }

    void add(Accountable connection) {
        all.updateAndGet(now -> {
            List<Accountable> open = new ArrayList<>(now.open);
            open.add(connection);
            return new All(open, now.closed);
        });
    }

    /** Nothing of {@code connection} changes any more: its sums are kept, it is not. */
    void retire(Accountable connection) {
        ConnectionAccount last = connection.account();
        all.updateAndGet(now -> {
            List<Accountable> open = new ArrayList<>(now.open);
            return open.remove(connection) ? new All(open, now.closed.plus(last)) : now;
        });
    }

    ClientAccount snapshot(long droppedPushes) {
        All now = all.get();
        List<ConnectionAccount> connections =
                now.open.stream().map(Accountable::account).toList();
        Sums sums = now.closed;
        for (ConnectionAccount account : connections) {
            sums = sums.plus(account);
        }
        CommandCounts counts = sums.counts.plus(withoutConnection.counts());
        return new ClientAccount(counts, sums.lateReplies, sums.reconnections, sums.fusion, droppedPushes, connections);
    }
}
