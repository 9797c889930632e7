// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import glide.api.GlideClient;
import glide.api.models.exceptions.RequestException;
import glide.api.models.exceptions.TimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** GLIDE's futures: it refuses what is beyond its limit of requests in flight. */
record GlideCounters(GlideClient client) implements Counters {

    private static final int IN_FLIGHT = 1_000; // its default

    static final Source SOURCE = new Source(
            "glide",
            "GlideClient.incr(), whenComplete; request timeout; the default inflightRequestsLimit of " + IN_FLIGHT
                    + ", beyond which it refuses",
            true,
            IN_FLIGHT,
            GlideCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) throws Exception {
        return new GlideCounters(GlideLibrary.connect(endpoint, timeout));
    }

    @Override
    public Ending increment(String key) throws InterruptedException {
        try {
            client.incr(key).get();
            return Ending.OK;
        } catch (ExecutionException e) {
            return ending(e);
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        var unused = client.incr(key).whenComplete((value, failure) -> settled.accept(ending(failure)));
    }

    private static Ending ending(@Nullable Throwable failure) {
        return switch (Unwrapped.of(failure)) {
            case null -> Ending.OK;
            case TimeoutException timedOut -> Ending.TIMED_OUT;
            case RequestException refused when isBeyondTheLimit(refused) -> Ending.REFUSED;
            case RequestException error -> Ending.ERROR;
            default -> Ending.LOST;
        };
    }

    /** An exception of its own it has not. */
    private static boolean isBeyondTheLimit(RequestException failure) {
        return String.valueOf(failure.getMessage()).contains("maximum inflight requests");
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
