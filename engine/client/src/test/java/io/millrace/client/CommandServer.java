// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a real server for the tests of one class. {@link #connect} deletes all keys of the server. All connections are
 * closed after each test.
 */
public final class CommandServer implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

    private final List<RawConnection> connections = new ArrayList<>();
    private @Nullable EmbeddedRedis server;

    /** Deletes all keys of the server and returns a new connection with RESP2 or RESP3. */
    public RawConnection connect(int protocol) {
        RawConnection connection = another(protocol);
        connection.run(Server.flush());
        return connection;
    }

    /** Opens a further connection. */
    public RawConnection another(int protocol) {
        EmbeddedRedis running = Objects.requireNonNull(server);
        RawConnection connection = RawConnection.open(running.host(), running.port(), protocol);
        connections.add(connection);
        return connection;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (server == null) {
            server = EmbeddedRedis.start();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        connections.forEach(RawConnection::close);
        connections.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (server != null) {
            server.close();
            server = null;
        }
    }
}
