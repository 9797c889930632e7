// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.function.BiConsumer;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.csc.DefaultCache;
import redis.clients.jedis.params.SetParams;

/** Cache-aside by hand with Jedis, and the client-side cache of Jedis. */
final class JedisCache {

    private static final String CALLS =
            "RedisClient with one pooled connection for each caller, never closed when idle;"
                    + " get(), after a miss compute and set() with PX; mget() for many";
    private static final String DOCUMENTATION = "https://redis.io/docs/latest/develop/clients/jedis/connect/";

    static final CacheLibrary LOOP = library("loop", CALLS, "#connect-with-a-connection-pool", false, false);

    static final CacheLibrary GUARDED = library(
            "loop-guarded",
            CALLS + "; an exception of get() counts as a miss, an exception of set() is ignored",
            "#connect-with-a-connection-pool",
            false,
            true);

    static final CacheLibrary CLIENT_SIDE = library(
                    "client-side-cache",
                    "RedisClient with RESP3 and a client-side cache of " + CacheAdapter.NEAR_ENTRIES
                            + " entries; compatibilityMode"
                            + " omits the check for Redis 7.4, because older servers have the same tracking command",
                    "#connect-using-client-side-caching",
                    true,
                    false)
            .asNear();

    private static CacheLibrary library(String mode, String note, String section, boolean near, boolean guarded) {
        return new CacheLibrary(
                "jedis",
                mode,
                Promise.NONE,
                note,
                DOCUMENTATION + section,
                (target, life) -> open(connect(target, near), life, guarded));
    }

    private static CacheAdapter open(RedisClient client, Duration timeToLive, boolean guarded) {
        CacheAdapter.Finder find = key -> client.get(CacheAdapter.redisKey(key));
        SetParams life = SetParams.setParams().px(timeToLive.toMillis());
        BiConsumer<String, String> store = (key, text) -> client.set(CacheAdapter.redisKey(key), text, life);
        return new CacheAdapter(
                guarded ? CacheAdapter.guardedLoop(find, store) : CacheAdapter.loop(find, store),
                (key, text, other) -> client.set(
                        CacheAdapter.redisKey(key), text, SetParams.setParams().px(other.toMillis())),
                keys -> client.mget(CacheAdapter.redisKeys(keys)),
                client);
    }

    private static RedisClient connect(Target target, boolean near) {
        int connections = Math.max(1, target.connections());
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections); // With fewer, the pool closes and opens connections all the time.
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1)); // No work in the background while others are measured.
        pool.setTestWhileIdle(false);
        var config = DefaultJedisClientConfig.builder()
                .user(target.username().orElse(null))
                .password(target.password().orElse(null))
                .database(target.database())
                .socketTimeoutMillis((int) target.timeout().toMillis());
        var builder = RedisClient.builder();
        builder.hostAndPort(new HostAndPort(target.host(), target.port())).poolConfig(pool);
        if (near) {
            builder.clientConfig(config.resp3().build()).cache(new AnyServerCache());
        } else {
            builder.clientConfig(config.build());
        }
        RedisClient client = builder.build();
        try {
            client.getPool().addObjects(connections);
            return client;
        } catch (Exception e) {
            client.close();
            throw new IllegalStateException("Jedis cannot connect: target=" + target + ".", e);
        }
    }

    /** The default cache of Jedis without the check of the server's version. */
    private static final class AnyServerCache extends DefaultCache {

        AnyServerCache() {
            super(CacheAdapter.NEAR_ENTRIES);
        }

        @Override
        public boolean compatibilityMode() {
            return true;
        }
    }
}
