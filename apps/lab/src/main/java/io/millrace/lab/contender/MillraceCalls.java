// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Millrace with one client that all callers share.
 *
 * @param fusion which commands may be fused
 */
public record MillraceCalls(Callers callers, int count, Set<Fusion> fusion) implements WarmContender {

    /** With what is fused by default. */
    public static MillraceCalls fused(Callers callers, int count) {
        return new MillraceCalls(callers, count, Fusion.ALL_EXACT);
    }

    /** With nothing fused. */
    public static MillraceCalls unfused(Callers callers, int count) {
        return new MillraceCalls(callers, count, Fusion.NONE);
    }

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return callers.word() + (fusion.isEmpty() ? "-unfused" : "");
    }

    @Override
    public String note() {
        return callers.of(count) + ", call() on one shared client, " + MillraceBulkWriter.words(fusion)
                + ", otherwise default options; JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var options =
                MillraceConnections.builder(task.endpoint()).fusion(fusion).build();
        var client = RedisClient.connect(options);
        return new CallRounds(
                PairData.of(count),
                callers,
                task.operations(),
                new Commands(client, FusedFigures.of(client), count == 1));
    }

    private record Commands(RedisClient client, FusedFigures fused, boolean alone) implements CallRounds.Client {

        @Override
        public void prepare() {
            if (alone) {
                SparseBytes.check(client);
            }
        }

        @Override
        public String set(String key, String value) {
            return client.call(Strings.set(key, value));
        }

        @Override
        public @Nullable String get(String key) {
            return client.call(Strings.get(key)).orElse(null);
        }

        @Override
        public Optional<Outcomes> outcomes() {
            return Optional.of(MillraceCounts.outcomes(client.counts()));
        }

        @Override
        public Map<String, Double> figures() {
            return fused.ofRound();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
