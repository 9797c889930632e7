// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Refusal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a class of tests, emptied before each, and clients that are closed after each. */
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
        return client(server().port(), Duration.ofSeconds(2));
    }

    /** A client whose way to the server can be broken. */
    Line line() {
        return line(Duration.ofMillis(300));
    }

    /** The same, where a command may take so long. */
    Line line(Duration timeout) {
        FaultProxy proxy = FaultProxy.inFrontOf(server().host(), server().port());
        opened.push(proxy);
        return new Line(proxy, client(proxy.port(), timeout));
    }

    private RedisClient client(int port, Duration timeout) {
        RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse("redis://127.0.0.1:" + port))
                .connections(1)
                .commandTimeout(timeout)
                .build());
        opened.push(client);
        return client;
    }

    /** A client and its way to the server. */
    record Line(FaultProxy proxy, RedisClient client) {

        /** Lets nothing through any more, as if the client's process had died. */
        void cut() {
            proxy.refuseConnections(Refusal.RESET);
            proxy.disconnectAll(Ending.RESET);
        }

        void mend() {
            proxy.acceptConnections();
        }
    }
}
