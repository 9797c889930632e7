// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of callers that each set a key, get it back and check it, over and over: the program is the same for every
 * client.
 *
 * @param operations of all callers together in one round
 */
record CallRounds(PairData data, Callers callers, long operations, Client client) implements WarmContender.Rounds {

    /** A client whose calls wait for their reply. */
    interface Client extends AutoCloseable {

        /** What is to be done before a round, and is not timed. */
        default void prepare() {}

        String set(String key, String value);

        /** Null if there is no such key. */
        @Nullable
        String get(String key);

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
    public void prepare() {
        client.prepare();
    }

    @Override
    public Optional<Outcomes> run() throws InterruptedException, ExecutionException {
        var before = client.outcomes();
        callers.run(data.callers(), this::callAndCheck);
        return client.outcomes().map(after -> after.minus(before.orElseThrow()));
    }

    private void callAndCheck(int caller) {
        for (var pairs = data.walk(caller, operations); pairs.next(); ) {
            pairs.checkSet(client.set(pairs.key(), pairs.value()));
            pairs.checkGet(client.get(pairs.readKey()));
        }
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
