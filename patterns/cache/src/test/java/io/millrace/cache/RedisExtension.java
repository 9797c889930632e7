// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
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

/**
 * A real server for a test class. The server is flushed before each test. Resources that a test opens are closed after
 * the test.
 */
final class RedisExtension implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

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
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server().uri()))
                .connectTimeout(Duration.ofSeconds(60))
                .build())) {
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

    /** Registers a resource. After the test the resources are closed, the newest first. */
    <T extends AutoCloseable> T closeAfterTest(T resource) {
        opened.push(resource);
        return resource;
    }

    RedisClient client() {
        return client(server().port());
    }

    /** Returns a client with one connection, so that commands reach the server in order. */
    RedisClient oneConnection(int port) {
        return closeAfterTest(RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .commandTimeout(Duration.ofSeconds(60))
                .build()));
    }

    RedisClient client(int port) {
        return client(port, Duration.ofSeconds(60));
    }

    /** Returns a client whose connection attempts take at most {@code connectTimeout}. */
    RedisClient client(int port, Duration connectTimeout) {
        return closeAfterTest(RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connectTimeout(connectTimeout)
                .commandTimeout(Duration.ofSeconds(60))
                .build()));
    }

    /** Returns a proxy that can break the connections to the server. */
    FaultProxy proxy() {
        return closeAfterTest(FaultProxy.inFrontOf(server().host(), server().port()));
    }

    /**
     * Options for tests that count commands or loads. Their timeouts are long, so that a stall of the machine does not
     * cause a load. Tests of a slow or lost server use other options.
     */
    static CacheOptions.Builder longTimeouts() {
        return CacheOptions.builder()
                .redisTimeout(Duration.ofSeconds(30))
                .deadline(Duration.ofSeconds(90))
                .loadTimeout(Duration.ofMinutes(5));
    }

    /**
     * Options as {@link #longTimeouts}, with a lease. The Redis timeout is as long as the lease allows.
     *
     * @param lease zero: no lease
     */
    static CacheOptions.Builder leased(Duration lease) {
        CacheOptions.Builder options = longTimeouts().lease(lease);
        Duration third = lease.dividedBy(3);
        boolean shorter = !lease.isZero() && third.compareTo(Duration.ofSeconds(30)) < 0;
        return shorter ? options.redisTimeout(third) : options;
    }

    Cache<String> cache(CacheOptions.Builder options) {
        return closeAfterTest(Cache.of(client(), "texts", Codec.text(), options.build()));
    }

    /**
     * Returns how often the server has executed {@code command} since the start of the test. The name of the command is
     * in lower case.
     */
    static int calls(RedisClient client, String command) {
        String all = client.call(Command.of("INFO", "commandstats").as(Replies::text));
        return all.lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .map(line -> line.substring(line.indexOf('=') + 1, line.indexOf(',')))
                .mapToInt(Integer::parseInt)
                .sum();
    }
}
