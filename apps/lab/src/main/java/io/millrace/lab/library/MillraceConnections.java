// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.client.ClientOptions;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Millrace's pool of dedicated connections. */
public record MillraceConnections(RedisClient client) implements ConnectionPool {

    static final Source SOURCE = new Source(
            "millrace", "RedisClient.borrow(), which waits for a free connection", MillraceConnections::open);

    /** As long as the longest wait for a connection in the lab may be: in that pattern the pool is too small on purpose. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    /** How Millrace's own client is told of {@code endpoint}. */
    public static RedisUri uri(Endpoint endpoint) {
        var uri = RedisUri.of(endpoint.host(), endpoint.port()).withDatabase(endpoint.database());
        if (endpoint.password().isEmpty()) {
            return uri;
        }
        var password = endpoint.password().get();
        return endpoint.username()
                .map(user -> uri.withLogin(user, password))
                .orElseGet(() -> uri.withPassword(password));
    }

    /** Default options for {@code endpoint}, but for the connect timeout: contenders also start on a busy machine. */
    public static ClientOptions.Builder builder(Endpoint endpoint) {
        return ClientOptions.builder(uri(endpoint)).connectTimeout(CONNECT_TIMEOUT);
    }

    private static ConnectionPool open(Endpoint endpoint, int size) {
        var client = RedisClient.connect(builder(endpoint)
                .connections(1)
                .poolSize(size)
                .commandTimeout(PATIENCE)
                .build());
        var all = new ArrayList<DedicatedConnection>();
        for (int i = 0; i < size; i++) {
            all.add(client.borrow());
        }
        all.forEach(DedicatedConnection::close);
        return new MillraceConnections(client);
    }

    @Override
    public Borrowed borrow() {
        return new MillraceConnection(client.borrow());
    }

    @Override
    public void close() {
        client.close();
    }

    private record MillraceConnection(DedicatedConnection connection) implements Borrowed {

        @Override
        public void set(Pair pair) {
            connection.call(Strings.set(pair.key(), pair.value()));
        }

        @Override
        public void setPipelined(List<Pair> pairs) {
            var pipeline = connection.pipeline();
            pairs.forEach(pair -> pipeline.add(Strings.set(pair.key(), pair.value())));
            pipeline.run().forEach(result -> result.value());
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
