// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Millrace's pipelines, over the connection that a client shares with whoever else calls. */
public record MillracePipelines(int length) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String note() {
        return "Pipeline, run() and all results read every " + length
                + ", default options, fused as by default, of which commands in turn make no use; JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var client =
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build());
        return new PipelineRounds<>(length, task.operations(), new Commands(client));
    }

    private static final class Commands implements PipelineRounds.Client<Result<String>, Result<Optional<String>>> {

        private final RedisClient client;
        private final FusedFigures fused;
        private Pipeline pipeline;

        private Commands(RedisClient client) {
            this.client = client;
            this.fused = FusedFigures.of(client);
            this.pipeline = client.pipeline();
        }

        @Override
        public void begin() {
            pipeline = client.pipeline();
        }

        @Override
        public Result<String> set(String key, String value) {
            return pipeline.add(Strings.set(key, value));
        }

        @Override
        public Result<Optional<String>> get(String key) {
            return pipeline.add(Strings.get(key));
        }

        @Override
        public void run() {
            pipeline.run();
        }

        @Override
        public String setReply(Result<String> result) {
            return result.value();
        }

        @Override
        public @Nullable String getReply(Result<Optional<String>> result) {
            return result.value().orElse(null);
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
