// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of one thread that sends without waiting, and joins the oldest pair of futures before it sends another pair
 * while a window of commands is in flight: the program is the same for every client.
 *
 * @param window commands in flight at most, an even number
 * @param <G> what the client makes of the reply to a {@code GET}
 */
record SendRounds<G>(int window, long operations, Client<G> client) implements WarmContender.Rounds {

    /** A client that answers with futures. */
    interface Client<G> extends AutoCloseable {

        CompletableFuture<String> set(String key, String value);

        CompletableFuture<G> get(String key);

        /** The value that was found; null if there is no such key. */
        @Nullable
        String text(G reply);

        /** What became of all its commands so far; empty if it keeps no account. */
        default Optional<Outcomes> outcomes() {
            return Optional.empty();
        }

        /** Further figures of the last round, asked for once. */
        default Map<String, Double> figures() {
            return Map.of();
        }

        @Override
        void close();
    }

    @Override
    public Optional<Outcomes> run() {
        var before = client.outcomes();
        sendAndCheck(PairData.inFlight(window));
        return client.outcomes().map(after -> after.minus(before.orElseThrow()));
    }

    private void sendAndCheck(PairData data) {
        var sets = new ArrayDeque<CompletableFuture<String>>(window / 2);
        var gets = new ArrayDeque<CompletableFuture<G>>(window / 2);
        var answered = data.walk(0, operations);
        for (var sent = data.walk(0, operations); sent.next(); ) {
            if (sets.size() == window / 2) {
                check(answered, sets.remove(), gets.remove());
            }
            sets.add(client.set(sent.key(), sent.value()));
            gets.add(client.get(sent.readKey()));
        }
        while (!sets.isEmpty()) {
            check(answered, sets.remove(), gets.remove());
        }
    }

    private void check(PairData.Walk pairs, CompletableFuture<String> set, CompletableFuture<G> get) {
        pairs.next();
        pairs.checkSet(set.join());
        pairs.checkGet(client.text(get.join()));
    }

    @Override
    public Map<String, Double> figures() {
        return client.figures();
    }

    @Override
    public void close() {
        client.close();
    }
}
