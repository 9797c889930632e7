// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;

/** Lettuce with one connection that all callers share, as its manual advises. */
public record LettuceCalls(Callers callers, int count) implements WarmContender {

    @Override
    public String name() {
        return "lettuce";
    }

    @Override
    public String variant() {
        return callers.word();
    }

    @Override
    public String note() {
        return callers.of(count) + ", sync(), one shared connection, default options, " + LettuceTransport.word()
                + "; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var client = RedisClient.create(RedisURI.create(task.host(), task.port()));
        var connection = client.connect();
        return new CallRounds(
                PairData.of(count), callers, task.operations(), new Commands(client, connection, connection.sync()));
    }

    private record Commands(
            RedisClient client, StatefulRedisConnection<String, String> connection, RedisCommands<String, String> sync)
            implements CallRounds.Client {

        @Override
        public String set(String key, String value) {
            return sync.set(key, value);
        }

        @Override
        public String get(String key) {
            return sync.get(key);
        }

        @Override
        public void close() {
            connection.close();
            client.shutdown();
        }
    }
}
