// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.AccountCheck;
import io.millrace.testkit.FakeRedis;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens clients, and fails the test if the account of one of them is not closed in the end. */
final class WatchedClients implements AfterEachCallback {

    /** Longer than anything takes on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Two seconds are promised; the rest is for a busy machine. */
    static final Duration SOON = Duration.ofSeconds(5);

    private final AccountCheck accounts = new AccountCheck();
    private int opened;

    /** With a single shared connection, of which a test can say what travels over it. */
    static ClientOptions.Builder options(RedisUri uri) {
        return ClientOptions.builder(uri)
                .connections(1)
                .connectTimeout(PATIENCE)
                .commandTimeout(PATIENCE);
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

    RedisClient connect(ClientOptions options) {
        RedisClient client = RedisClient.connect(options);
        accounts.watch("client " + opened++, () -> AccountFigures.of(client.counts()));
        return client;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        accounts.afterEach(context);
    }
}
