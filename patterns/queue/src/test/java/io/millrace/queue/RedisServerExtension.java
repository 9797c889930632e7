// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a test class. Empties the server before each test, and closes the clients after each test. */
final class RedisServerExtension implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

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

    RedisClient client() {
        return client(server().port(), Duration.ofSeconds(60));
    }

    /** Returns a client with {@code poolSize} dedicated connections. */
    RedisClient clientWithPool(int poolSize, Duration timeout) {
        return client(server().port(), timeout, poolSize);
    }

    /** Returns a client whose connection can be broken. */
    BreakableConnection breakableClient() {
        return breakableClient(Duration.ofSeconds(1));
    }

    /** Returns a client with the command timeout {@code timeout}. The test can break the connection of the client. */
    BreakableConnection breakableClient(Duration timeout) {
        FaultProxy proxy = FaultProxy.inFrontOf(server().host(), server().port());
        opened.push(proxy);
        return new BreakableConnection(proxy, client(proxy.port(), timeout));
    }

    private RedisClient client(int port, Duration timeout) {
        return client(port, timeout, 64);
    }

    private RedisClient client(int port, Duration timeout, int poolSize) {
        RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .poolSize(poolSize)
                .commandTimeout(timeout)
                .build());
        opened.push(client);
        return client;
    }

    /** A client and the proxy between the client and the server. */
    record BreakableConnection(FaultProxy proxy, RedisClient client) {

        /** Closes all connections and rejects new connections, as if the client's process had died. */
        void disconnect() {
            proxy.refuseConnections(RefusalMode.RESET);
            proxy.disconnectAll(ConnectionEnd.RESET);
        }

        void reconnect() {
            proxy.acceptConnections();
        }
    }
}
