// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of pipelines one after the other, each filled, run, and then all its results read and checked: the program is
 * the same for every client.
 *
 * @param length commands in one pipeline, an even number
 */
record PipelineRounds<S, G>(int length, long operations, Client<S, G> client) implements WarmContender.Rounds {

    /**
     * A client with one pipeline at a time.
     *
     * @param <S> what stands for the result of a {@code SET} before the pipeline has run
     * @param <G> what stands for that of a {@code GET}
     */
    interface Client<S, G> extends AutoCloseable {

        /** Begins a pipeline. */
        void begin();

        S set(String key, String value);

        G get(String key);

        /** Runs the pipeline: returns when the last reply is there. */
        void run();

        @Nullable
        String setReply(S result);

        /** Null if there is no such key. */
        @Nullable
        String getReply(G result);

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
        var data = PairData.of(1);
        var filled = data.walk(0, operations);
        var checked = data.walk(0, operations);
        long pairs = operations / 2;
        for (long done = 0; done < pairs; done += length / 2) {
            runOne(filled, checked, (int) Math.min(length / 2, pairs - done));
        }
        return client.outcomes().map(after -> after.minus(before.orElseThrow()));
    }

    private void runOne(PairData.Walk filled, PairData.Walk checked, int pairs) {
        List<S> sets = new ArrayList<>(pairs);
        List<G> gets = new ArrayList<>(pairs);
        client.begin();
        for (int i = 0; i < pairs; i++) {
            filled.next();
            sets.add(client.set(filled.key(), filled.value()));
            gets.add(client.get(filled.readKey()));
        }
        client.run();
        for (int i = 0; i < pairs; i++) {
            checked.next();
            checked.checkSet(client.setReply(sets.get(i)));
            checked.checkGet(client.getReply(gets.get(i)));
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
