// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.ClientOptions;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a test class. Empties the server before each test, and closes the clients after each test. */
final class RedisServerExtension implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** Long enough for a busy machine. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final Command<String> CLIENTS = Command.of("CLIENT LIST").as(Replies::text);

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
        client().call(Server.flush());
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

    RedisClient client() {
        return client(server().port());
    }

    /** Returns a proxy in front of the server whose connections can be broken. */
    FaultProxy proxy() {
        FaultProxy proxy = FaultProxy.inFrontOf(server().host(), server().port());
        opened.push(proxy);
        return proxy;
    }

    RedisClient client(int port) {
        return client(port, TIMEOUT);
    }

    RedisClient client(int port, Duration commandTimeout) {
        RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connections(1)
                .connectTimeout(TIMEOUT)
                .commandTimeout(commandTimeout)
                .build());
        opened.push(client);
        return client;
    }

    /** Returns the number of connections of all clients. */
    long connections(RedisClient client) {
        return client.call(CLIENTS).lines().count();
    }

    /**
     * Waits until the server has only {@code count} connections. The server has then read all data of the broken
     * connections.
     */
    void awaitConnections(RedisClient client, long count) {
        Eventually.holds("the server has " + count + " connections", () -> connections(client) <= count);
    }

    /** Returns the names of all keys. */
    Set<String> keys(RedisClient client) {
        return client.call(Command.of("KEYS", "*").as(Replies.set(Replies::text)));
    }
}
