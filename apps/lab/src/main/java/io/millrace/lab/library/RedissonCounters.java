// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonShutdownException;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisTimeoutException;

/** Redisson's counters, whose futures are completed on its Netty threads, and whose queue has no bound. */
record RedissonCounters(RedissonClient client) implements Counters {

    static final Source SOURCE = new Source(
            "redisson",
            "RAtomicLong.incrementAndGetAsync(), whenComplete; timeout as the command timeout, retryAttempts 0, a pool of one"
                    + " connection, " + NativeTransport.word()
                    + "; commands that wait for the connection have no bound",
            true,
            0,
            RedissonCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) {
        return new RedissonCounters(RedissonLibrary.connect(endpoint, timeout));
    }

    @Override
    public Ending increment(String key) {
        try {
            client.getAtomicLong(key).incrementAndGet();
            return Ending.OK;
        } catch (RedisException e) {
            return ending(e);
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        var unused = client.getAtomicLong(key)
                .incrementAndGetAsync()
                .whenComplete((value, failure) -> settled.accept(ending(failure)));
    }

    /**
     * What the server answers comes as the base of all its exceptions, or as one of a dozen that each stand for an
     * error.
     */
    private static Ending ending(@Nullable Throwable failure) {
        return switch (Unwrapped.of(failure)) {
            case null -> Ending.OK;
            case RedisTimeoutException timedOut -> Ending.TIMED_OUT;
            case RedisConnectionException broken -> Ending.LOST;
            case RedisReconnectedException broken -> Ending.LOST;
            case RedisNodeNotFoundException nowhere -> Ending.LOST;
            case RedissonShutdownException closed -> Ending.LOST;
            case RedisException error -> Ending.ERROR;
            default -> Ending.LOST;
        };
    }

    @Override
    public void close() {
        RedissonLibrary.close(client);
    }
}
