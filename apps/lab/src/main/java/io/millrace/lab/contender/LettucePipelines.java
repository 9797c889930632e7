// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;

/** Lettuce with commands that are flushed together, on a connection of their own. */
public record LettucePipelines(int length) implements WarmContender {

    @Override
    public String name() {
        return "lettuce";
    }

    @Override
    public String note() {
        return "async(), flushed by hand and all futures joined every " + length + ", " + LettuceTransport.word()
                + "; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var client = RedisClient.create(RedisURI.create(task.host(), task.port()));
        var connection = client.connect();
        connection.setAutoFlushCommands(false);
        return new PipelineRounds<>(length, task.operations(), new Commands(client, connection, connection.async()));
    }

    private record Commands(
            RedisClient client,
            StatefulRedisConnection<String, String> connection,
            RedisAsyncCommands<String, String> async)
            implements PipelineRounds.Client<RedisFuture<String>, RedisFuture<String>> {

        @Override
        public void begin() {}

        @Override
        public RedisFuture<String> set(String key, String value) {
            return async.set(key, value);
        }

        @Override
        public RedisFuture<String> get(String key) {
            return async.get(key);
        }

        /** Does not wait itself: reading the results does. */
        @Override
        public void run() {
            connection.flushCommands();
        }

        @Override
        public String setReply(RedisFuture<String> result) {
            return result.toCompletableFuture().join();
        }

        @Override
        public String getReply(RedisFuture<String> result) {
            return result.toCompletableFuture().join();
        }

        @Override
        public void close() {
            connection.close();
            client.shutdown();
        }
    }
}
