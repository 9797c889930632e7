// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.ListDirection;
import redis.clients.jedis.exceptions.JedisDataException;

/** The reliable queue of two lists that the documentation of LMOVE describes, with Jedis. */
final class JedisQueue implements QueueAdapter {

    static final QueueLibrary LIST = new QueueLibrary(
            "jedis",
            "list",
            Guarantee.AT_LEAST_ONCE,
            "BLMOVE of one job into a list of taken jobs, LREM after the job; one platform thread and one pooled connection"
                    + " for each job at the same time; a new worker moves the taken jobs back",
            "https://redis.io/docs/latest/commands/lmove/#pattern-reliable-queue",
            (target, silence) -> new JedisQueue(target));

    private static final double WAIT_SECONDS = 1;
    private static final int BATCH = 10_000;

    private final RedisClient client;

    private JedisQueue(Target target) {
        client = connect(target);
        while (client.lmove(TAKEN, NAME, ListDirection.LEFT, ListDirection.RIGHT) != null) {
            // The next worker of this name moves the jobs of the last one back.
        }
    }

    static RedisClient connect(Target target) {
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(QueueLibrary.CONNECTIONS);
        pool.setMaxIdle(QueueLibrary.CONNECTIONS);
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1)); // No work in the background while others are measured.
        pool.setTestWhileIdle(false);
        var config = DefaultJedisClientConfig.builder()
                .user(target.username().orElse(null))
                .password(target.password().orElse(null))
                .database(target.database())
                .socketTimeoutMillis((int) target.timeout().toMillis())
                .blockingSocketTimeoutMillis((int) target.timeout().toMillis())
                .build();
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(target.host(), target.port()))
                .poolConfig(pool)
                .clientConfig(config)
                .build();
    }

    /** Pushes jobs to the list, for all libraries that store a job as an element of a list. */
    static void pushAllToList(Target target, List<String> jobs) {
        try (RedisClient client = connect(target)) {
            pushAll(client, jobs);
        }
    }

    private static void pushAll(RedisClient client, List<String> jobs) {
        for (int from = 0; from < jobs.size(); from += BATCH) {
            client.lpush(
                    NAME,
                    jobs.subList(from, Math.min(jobs.size(), from + BATCH)).toArray(String[]::new));
        }
    }

    /** Adds jobs to the stream, for all libraries that store a job as an entry of a stream. */
    static void addAllToStream(Target target, List<String> jobs) {
        try (RedisClient client = connect(target)) {
            for (int from = 0; from < jobs.size(); from += BATCH) {
                try (Pipeline pipeline = client.pipelined()) {
                    jobs.subList(from, Math.min(jobs.size(), from + BATCH))
                            .forEach(job -> pipeline.xadd(STREAM, StreamEntryID.NEW_ENTRY, Map.of(FIELD, job)));
                }
            }
        }
    }

    /** Creates the group of the stream, unless the group exists. The group gets all entries, also earlier ones. */
    static void createGroup(Target target) {
        try (RedisClient client = connect(target)) {
            client.xgroupCreate(STREAM, GROUP, new StreamEntryID("0-0"), true);
        } catch (JedisDataException e) {
            if (!String.valueOf(e.getMessage()).startsWith("BUSYGROUP")) {
                throw e;
            }
        }
    }

    @Override
    public void push(String job) {
        client.lpush(NAME, job);
    }

    @Override
    public void pushAll(List<String> jobs) {
        pushAll(client, jobs);
    }

    @Override
    public Consumers start(int concurrency, Handler handler) {
        return ConsumerThreads.start(concurrency, consumer -> {
            @Nullable String job = client.blmove(NAME, TAKEN, ListDirection.RIGHT, ListDirection.LEFT, WAIT_SECONDS);
            if (job == null) {
                return 0;
            }
            handler.handle(job);
            client.lrem(TAKEN, 1, job);
            return 1;
        });
    }

    @Override
    public void close() {
        client.close();
    }
}
