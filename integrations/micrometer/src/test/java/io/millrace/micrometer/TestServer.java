// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real server for a test class. Resources of a test are closed after the test, and the server is flushed. */
final class TestServer implements BeforeAllCallback, AfterAllCallback, AfterEachCallback {

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
    public void afterEach(ExtensionContext context) throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
        try (RedisClient client = RedisClient.connect(options().build())) {
            client.call(Server.flush());
        }
    }

    EmbeddedRedis server() {
        if (server == null) {
            throw new IllegalStateException("the server was not started");
        }
        return server;
    }

    RedisUri uri() {
        return RedisUri.parse(server().uri());
    }

    ClientOptions.Builder options() {
        return options(server().port());
    }

    /** Options whose timeouts are long, so that a stall of the machine changes no count. */
    static ClientOptions.Builder options(int port) {
        return ClientOptions.builder(RedisUri.of("127.0.0.1", port))
                .connections(1)
                .connectTimeout(Duration.ofSeconds(60))
                .commandTimeout(Duration.ofSeconds(60));
    }

    RedisClient client(UnaryOperator<ClientOptions.Builder> more) {
        return closeAfterTest(RedisClient.connect(more.apply(options()).build()));
    }

    /** Registers a resource. After the test the resources are closed, the newest first. */
    <T extends AutoCloseable> T closeAfterTest(T resource) {
        opened.push(resource);
        return resource;
    }
}
