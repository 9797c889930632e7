// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ClientOptions;
import io.millrace.client.Lists;
import io.millrace.client.Popped;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Strings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with a cache. It is told what to ask for by a list, {@code jobs:<name>}: a key that begins with {@code slow} is loaded for
 * ever, {@code end} ends it. It says in lists that it is ready, that it loads, and what its callers got. Its arguments are the port of Redis, its name, and how long a lease is.
 */
final class LoadingProcess {

    /** That a test awaits the end of. */
    static final Duration SHORT_LEASE = Duration.ofSeconds(3);

    /** Longer than a busy machine makes its holder wait. */
    static final Duration LONG_LEASE = Duration.ofSeconds(20);

    static final int CALLERS = 50;

    private final String name;
    private final RedisClient client;
    private final Cache<String> cache;

    private LoadingProcess(String name, RedisClient client, Cache<String> cache) {
        this.name = name;
        this.client = client;
        this.cache = cache;
    }

    static CacheOptions.Builder options(Duration lease) {
        return Redis.patient().lease(lease);
    }

    public static void main(String[] arguments) throws Exception {
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        try (RedisClient client = RedisClient.connect(
                        ClientOptions.builder(uri).connections(1).build());
                Cache<String> cache = Cache.of(
                        client,
                        "texts",
                        Codec.text(),
                        options(Duration.parse(arguments[2])).build())) {
            new LoadingProcess(arguments[1], client, cache).work();
        }
    }

    private void work() throws Exception {
        client.call(Lists.pushLeft("ready:" + name, "ready"));
        while (true) {
            Optional<Popped<String, String>> job =
                    client.call(Lists.awaitRight(Duration.ofSeconds(60), "jobs:" + name));
            if (job.isEmpty() || job.get().element().equals("end")) {
                return;
            }
            String key = job.get().element();
            List<String> values = Crowd.ask(CALLERS, () -> cache.get(key, this::load));
            client.call(Lists.pushLeft(
                    "values:" + key, values.stream().distinct().toList().toString()));
        }
    }

    /** A value that names its key, and of which load it is. */
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
