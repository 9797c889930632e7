// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

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
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a class of tests, emptied before each, and clients that are closed after each. */
final class Redis implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** Longer than a machine stands still that is busy with something else. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

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

    /** A proxy in front of the server, whose connections can be broken. */
    FaultProxy proxy() {
        FaultProxy proxy = FaultProxy.inFrontOf(server().host(), server().port());
        opened.push(proxy);
        return proxy;
    }

    RedisClient client(int port) {
        return client(port, PATIENCE);
    }

    RedisClient client(int port, Duration commandTimeout) {
        RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connections(1)
                .connectTimeout(PATIENCE)
                .commandTimeout(commandTimeout)
                .build());
        opened.push(client);
        return client;
    }

    /** How many connections the server has, whoever's. */
    long connections(RedisClient client) {
        return client.call(CLIENTS).lines().count();
    }

    /** Waits until it has only {@code count}, and so has read all that came over those that broke. */
    void awaitConnections(RedisClient client, long count) {
        Eventually.holds("the server has " + count + " connections", () -> connections(client) <= count);
    }

    /** The names of all keys. */
    Set<String> keys(RedisClient client) {
        return client.call(Command.of("KEYS", "*").as(Replies.set(Replies::text)));
    }
}
