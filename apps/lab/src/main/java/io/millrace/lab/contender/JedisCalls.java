// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.commands.JedisCommands;

/**
 * Jedis with as many connections as callers, which is the most it can make use of.
 *
 * @param pooled a connection is borrowed for each command; otherwise the one caller keeps the one connection
 */
public record JedisCalls(Callers callers, int count, boolean pooled) implements WarmContender {

    /** One caller with a connection of its own. */
    public static JedisCalls ownConnection() {
        return new JedisCalls(Callers.PLATFORM, 1, false);
    }

    /** Callers that share a pool of as many connections as they are. */
    public static JedisCalls pool(Callers callers, int count) {
        return new JedisCalls(callers, count, true);
    }

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String variant() {
        return callers.word();
    }

    @Override
    public String note() {
        return callers.of(count) + ", "
                + (pooled ? "RedisClient, pool of " + count + " connections, all kept" : "Jedis, its own connection")
                + "; JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var client = pooled ? pooled(task) : own(task);
        return new CallRounds(PairData.of(count), callers, task.operations(), client);
    }

    private static CallRounds.Client own(Task task) {
        var jedis = new Jedis(task.host(), task.port());
        jedis.ping();
        return new Commands(jedis, jedis::close);
    }

    private CallRounds.Client pooled(Task task) {
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(count);
        pool.setMaxIdle(count); // or connections would be closed and opened again all the time
        pool.setMinIdle(count);
        var client = RedisClient.builder()
                .hostAndPort(task.host(), task.port())
                .poolConfig(pool)
                .build();
        client.ping();
        return new Commands(client, client::close);
    }

    private record Commands(JedisCommands jedis, Runnable end) implements CallRounds.Client {

        @Override
        public String set(String key, String value) {
            return jedis.set(key, value);
        }

        @Override
        public String get(String key) {
            return jedis.get(key);
        }

        @Override
        public void close() {
            end.run();
        }
    }
}
