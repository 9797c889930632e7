// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.concurrent.CompletableFuture;

/** Lettuce's asynchronous commands, of which one thread has a window in flight. */
public record LettuceSends(int window) implements WarmContender {

    @Override
    public String name() {
        return "lettuce";
    }

    @Override
    public String note() {
        return "async(), one thread, " + window + " in flight, default options, " + LettuceTransport.word()
                + "; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var client = RedisClient.create(RedisURI.create(task.host(), task.port()));
        var connection = client.connect();
        return new SendRounds<>(window, task.operations(), new Commands(client, connection, connection.async()));
    }

    private record Commands(
            RedisClient client,
            StatefulRedisConnection<String, String> connection,
            RedisAsyncCommands<String, String> async)
            implements SendRounds.Client<String> {

        @Override
        public CompletableFuture<String> set(String key, String value) {
            return async.set(key, value).toCompletableFuture();
        }

        @Override
        public CompletableFuture<String> get(String key) {
            return async.get(key).toCompletableFuture();
        }

        @Override
        public String text(String reply) {
            return reply;
        }

        @Override
        public void close() {
            connection.close();
            client.shutdown();
        }
    }
}
