// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens clients. The test fails if the stats of a client are inconsistent at the end of the test. */
final class WatchedClients implements AfterEachCallback {

    /** A time limit that is longer than any operation takes on a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * The time limit for operations that the client guarantees to end within two seconds. The limit is ten times as
     * long, because the machine may be busy. The limit is well below {@link #TIMEOUT}.
     */
    static final Duration SHORT_LIMIT = Duration.ofSeconds(20);

    private final StatsCheck stats = new StatsCheck();
    private int opened;

    /** Returns options with a single shared connection, so that a test knows the connection of each command. */
    static ClientOptions.Builder options(RedisUri uri) {
        return ClientOptions.builder(uri).connections(1).connectTimeout(TIMEOUT).commandTimeout(TIMEOUT);
    }

    static RedisUri uri(EmbeddedRedis server) {
        return RedisUri.of(server.host(), server.port());
    }

    static RedisUri uri(FakeRedis server) {
        return RedisUri.of(server.host(), server.port());
    }

    RedisClient connect(RedisUri uri) {
        return connect(uri, unchanged -> unchanged);
    }

    RedisClient connect(RedisUri uri, UnaryOperator<ClientOptions.Builder> change) {
        return connect(change.apply(options(uri)).build());
    }

    synchronized RedisClient connect(ClientOptions options) {
        RedisClient client = RedisClient.connect(options);
        stats.watch("client " + opened++, () -> StatsAdapter.of(client.counts()));
        return client;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stats.afterEach(context);
    }
}
