// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.support.caching.CacheAccessor;
import io.lettuce.core.support.caching.ClientSideCaching;
import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The client-side caching of Lettuce. */
final class LettuceCache {

    static final CacheLibrary CLIENT_SIDE = new CacheLibrary(
                    "lettuce",
                    "client-side-caching",
                    Promise.NONE,
                    "ClientSideCaching.enable() on one shared connection with TrackingArgs.Builder.enabled();"
                            + " CacheFrontend.get(key, Callable), which writes with SET without a time to live. Entries are in"
                            + " a ConcurrentHashMap without a limit, as in the documentation: no work for eviction, and memory"
                            + " that grows with the number of keys",
                    "https://github.com/redis/lettuce/blob/7.7.0.RELEASE/docs/user-guide/client-side-caching.md",
                    (target, life) -> connect(target))
            .asNear();

    private static CacheAdapter connect(Target target) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(target.host())
                .withPort(target.port())
                .withDatabase(target.database())
                .withTimeout(target.timeout());
        target.password()
                .ifPresent(password -> target.username()
                        .ifPresentOrElse(
                                user -> uri.withAuthentication(user, password),
                                () -> uri.withPassword(password.toCharArray())));
        RedisClient client = RedisClient.create(uri.build());
        try {
            var connection = client.connect();
            CacheAccessor<String, String> entries = CacheAccessor.forMap(new ConcurrentHashMap<>());
            var frontend = ClientSideCaching.enable(entries, connection, TrackingArgs.Builder.enabled());
            return new CacheAdapter(
                    (key, loader) -> frontend.get(CacheAdapter.redisKey(key), () -> loader.load(key)),
                    (key, text, life) -> connection.sync().set(CacheAdapter.redisKey(key), text),
                    () -> {
                        frontend.close();
                        client.shutdown(0, Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS);
                    });
        } catch (RuntimeException e) {
            client.shutdown();
            throw e;
        }
    }
}
