// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Millrace's {@code send}, by one thread that has a window in flight. */
public record MillraceSends(int window) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String note() {
        return "send(), one thread, " + window
                + " in flight, the client's limit as well; otherwise default options, fused as by default, of which commands in turn make no use;"
                + " JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var options = MillraceConnections.builder(task.endpoint())
                .inFlight(window)
                .overflow(Overflow.BLOCK)
                .build();
        var client = RedisClient.connect(options);
        return new SendRounds<>(window, task.operations(), new Commands(client, FusedFigures.of(client)));
    }

    private record Commands(RedisClient client, FusedFigures fused) implements SendRounds.Client<Optional<String>> {

        @Override
        public CompletableFuture<String> set(String key, String value) {
            return client.send(Strings.set(key, value));
        }

        @Override
        public CompletableFuture<Optional<String>> get(String key) {
            return client.send(Strings.get(key));
        }

        @Override
        public @Nullable String text(Optional<String> reply) {
            return reply.orElse(null);
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
