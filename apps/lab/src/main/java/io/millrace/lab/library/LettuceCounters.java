// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.TimeoutOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lettuce's futures, whose callbacks run on its I/O thread, and whose queue has no bound unless one is set. */
record LettuceCounters(LettuceLibrary.Opened opened) implements Counters {

    static final Source SOURCE = new Source(
            "lettuce",
            "async(), TimeoutOptions.enabled, callbacks by whenComplete; its queue of requests has no bound by default",
            true,
            0,
            LettuceCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) {
        var options = ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .build();
        return new LettuceCounters(LettuceLibrary.Opened.at(endpoint, timeout, options));
    }

    @Override
    public Ending increment(String key) {
        try {
            opened.connection().sync().incr(key);
            return Ending.OK;
        } catch (RedisException e) {
            return ending(e);
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        var unused =
                opened.connection().async().incr(key).whenComplete((value, failure) -> settled.accept(ending(failure)));
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
        opened.close();
    }
}
