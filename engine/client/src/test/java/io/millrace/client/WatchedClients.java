// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens clients, and fails the test if the stats of a client do not add up at the end. */
final class WatchedClients implements AfterEachCallback {

    /** Longer than any operation takes on a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Ten times the guarantee of two seconds, because the machine may be busy. Well below {@link #TIMEOUT}. */
    static final Duration SHORT_LIMIT = Duration.ofSeconds(20);

    private final StatsCheck accounts = new StatsCheck();
    private int opened;

    /** Options with a single shared connection, so that a test knows the connection of each command. */
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
        accounts.watch("client " + opened++, () -> StatsAdapter.of(client.counts()));
        return client;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        accounts.afterEach(context);
    }
}
