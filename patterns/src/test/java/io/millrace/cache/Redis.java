// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Replies;
import io.millrace.client.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a class of tests, emptied before each, and what is opened in a test and closed after it. */
final class Redis implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable EmbeddedRedis server;

    @Override
    public void beforeAll(ExtensionContext context) {
        server = EmbeddedRedis.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server().close();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(server().uri()))) {
            client.call(Server.flush());
            client.call(Command.of("CONFIG RESETSTAT"));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    EmbeddedRedis server() {
        if (server == null) {
            throw new IllegalStateException("the server was not started");
        }
        return server;
    }

    /** Has it closed after the test, before what was opened earlier. */
    <T extends AutoCloseable> T closing(T what) {
        opened.push(what);
        return what;
    }

    RedisClient client() {
        return client(server().port());
    }

    /** A client whose commands all reach the server in their order, unless their connection is lost. */
    RedisClient oneConnection(int port) {
        return closing(RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connections(1)
                .commandTimeout(Duration.ofSeconds(20))
                .build()));
    }

    RedisClient client(int port) {
        return closing(RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connectTimeout(Duration.ofSeconds(10))
                .commandTimeout(Duration.ofSeconds(20))
                .build()));
    }

    /** A way to the server that can be broken. */
    FaultProxy proxy() {
        return closing(FaultProxy.inFrontOf(server().host(), server().port()));
    }

    /**
     * Options for what is counted: a caller whose machine stalls for some seconds waits for Redis, instead of loading by itself. Whoever
     * tests a slow or lost server has others.
     */
    static CacheOptions.Builder patient() {
        return CacheOptions.builder().redisTimeout(Duration.ofSeconds(10)).deadline(Duration.ofSeconds(60));
    }

    Cache<String> cache(CacheOptions.Builder options) {
        return closing(Cache.of(client(), "texts", Codec.text(), options.build()));
    }

    /** How often the server was told to run {@code command}, in lower case, since the test began. */
    static int calls(RedisClient client, String command) {
        String all = client.call(Command.of("INFO", "commandstats").as(Replies::text));
        return all.lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .map(line -> line.substring(line.indexOf('=') + 1, line.indexOf(',')))
                .mapToInt(Integer::parseInt)
                .sum();
    }
}
