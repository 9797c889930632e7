// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Millrace's futures: at the limit of what may be in flight, {@code send} waits for a place. */
record MillraceCounters(RedisClient client) implements Counters {

    private static final int IN_FLIGHT = ClientOptions.IN_FLIGHT.defaultValue();

    static final Source SOURCE = new Source(
            "millrace",
            "send(), one connection, the default of " + IN_FLIGHT
                    + " commands in flight, at which send() waits; callbacks by whenComplete",
            true,
            IN_FLIGHT,
            MillraceCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) {
        return new MillraceCounters(RedisClient.connect(MillraceConnections.builder(endpoint)
                .connections(1)
                .inFlight(IN_FLIGHT)
                .commandTimeout(timeout)
                .build()));
    }

    @Override
    public Ending increment(String key) {
        try {
            client.call(Strings.increment(key));
            return Ending.OK;
        } catch (RedisException e) {
            return ending(e);
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        var unused =
                client.send(Strings.increment(key)).whenComplete((value, failure) -> settled.accept(ending(failure)));
    }

    private static Ending ending(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> Ending.OK;
            case TimedOutException timedOut -> Ending.TIMED_OUT;
            case RefusedException refused -> Ending.REFUSED;
            case ErrorReplyException error -> Ending.ERROR;
            default -> Ending.LOST;
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
