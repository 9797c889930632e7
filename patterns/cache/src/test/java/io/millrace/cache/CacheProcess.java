// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PopResult;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with a cache. The process reads keys to request from the list {@code jobs:<name>}. If a key begins with
 * {@code slow}, its load never ends. The element {@code end} ends the process. The process reports its start, its loads
 * and its values in other lists. Arguments: the port of Redis, the name of the process, and the lease duration.
 */
final class CacheProcess {

    /** For tests that wait until the lease expires. */
    static final Duration SHORT_LEASE = Duration.ofSeconds(3);

    /** Longer than the pauses of a busy machine. */
    static final Duration LONG_LEASE = Duration.ofSeconds(20);

    static final int CALLERS = 50;

    private final String name;
    private final RedisClient client;
    private final Cache<String> cache;

    private CacheProcess(String name, RedisClient client, Cache<String> cache) {
        this.name = name;
        this.client = client;
        this.cache = cache;
    }

    static CacheOptions.Builder options(Duration lease) {
        return RedisExtension.leased(lease);
    }

    public static void main(String[] arguments) throws Exception {
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                        .connectTimeout(Duration.ofSeconds(60))
                        .connections(1)
                        .build());
                Cache<String> cache = Cache.of(
                        client,
                        "texts",
                        Codec.text(),
                        options(Duration.parse(arguments[2])).build())) {
            new CacheProcess(arguments[1], client, cache).work();
        }
    }

    private void work() throws Exception {
        client.call(Lists.pushLeft("ready:" + name, "ready"));
        while (true) {
            Optional<PopResult<String, String>> job =
                    client.call(Lists.awaitRight(Duration.ofSeconds(60), "jobs:" + name));
            if (job.isEmpty() || job.get().element().equals("end")) {
                return;
            }
            String key = job.get().element();
            List<String> values = ConcurrentCallers.callAll(CALLERS, () -> cache.get(key, this::load));
            client.call(Lists.pushLeft(
                    "values:" + key, values.stream().distinct().toList().toString()));
        }
    }

    /** Returns a value that contains the key and the number of the load. */
    private String load(String key) {
        long number = client.call(Strings.increment("loads:" + key));
        client.call(Lists.pushLeft("loading:" + key, name));
        while (key.startsWith("slow")) {
            LockSupport.park();
        }
        LockSupport.parkNanos(2_000_000);
        return key + "#" + number;
    }
}
