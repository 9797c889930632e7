// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lettuce's futures, whose callbacks run on its I/O thread, and whose queue has no bound unless one is set. */
record LettuceCounters(RedisClient client, StatefulRedisConnection<String, String> connection) implements Counters {

    static final Source SOURCE = new Source(
            "lettuce",
            "async(), TimeoutOptions.enabled, callbacks by whenComplete; its queue of requests has no bound by default",
            0,
            LettuceCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) {
        var uri = RedisURI.builder()
                .withHost(endpoint.host())
                .withPort(endpoint.port())
                .withDatabase(endpoint.database())
                .withTimeout(timeout);
        endpoint.password()
                .ifPresent(password -> endpoint.username()
                        .ifPresentOrElse(
                                user -> uri.withAuthentication(user, password),
                                () -> uri.withPassword(password.toCharArray())));
        var client = RedisClient.create(uri.build());
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .build());
        return new LettuceCounters(client, client.connect());
    }

    @Override
    public Ending increment(String key) {
        try {
            connection.sync().incr(key);
            return Ending.OK;
        } catch (RedisException e) {
            return ending(e);
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        var unused = connection.async().incr(key).whenComplete((value, failure) -> settled.accept(ending(failure)));
    }

    private static Ending ending(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> Ending.OK;
            case RedisCommandTimeoutException timeout -> Ending.TIMED_OUT;
            case RedisCommandExecutionException error -> Ending.ERROR;
            default -> Ending.LOST;
        };
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(0, 5, TimeUnit.SECONDS);
    }
}
