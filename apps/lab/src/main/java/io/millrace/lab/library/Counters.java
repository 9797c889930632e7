// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A library that increments counters, by default settings but for the time limit of a command: one connection, whatever
 * bound its queue has. Used by one thread.
 */
public interface Counters extends AutoCloseable {

    /** How a command ended. */
    enum Ending {
        OK,
        ERROR,
        TIMED_OUT,
        REFUSED,
        LOST
    }

    /** {@code INCR key}; waits until it is settled. */
    Ending increment(String key) throws Exception;

    /**
     * {@code INCR key}; does not wait for the reply.
     *
     * @param settled is told how it ended, on the thread on which the library runs callbacks
     * @throws UnsupportedOperationException if the library has no asynchronous calls
     */
    default void send(String key, Consumer<Ending> settled) {
        throw new UnsupportedOperationException("no asynchronous calls. Look at Source.asynchronous first.");
    }

    /** Closes the connection, whatever is pending. */
    @Override
    void close() throws Exception;

    /**
     * A library that can be asked to count.
     *
     * @param name as in reports
     * @param note what a reader of the figures has to know
     * @param asynchronous whether it has calls that do not wait for the reply
     * @param inFlight the most commands that may be in flight; 0 if there is no bound
     */
    record Source(String name, String note, boolean asynchronous, int inFlight, Opener opener) {

        /** Those there are. */
        public static List<Source> all() {
            return List.of(
                    JedisCounters.SOURCE,
                    LettuceCounters.SOURCE,
                    RedissonCounters.SOURCE,
                    GlideCounters.SOURCE,
                    VertxCounters.SOURCE,
                    MillraceCounters.SOURCE);
        }
    }

    /** Opens connections. */
    @FunctionalInterface
    interface Opener {

        /** A connection whose commands each have {@code timeout}. */
        Counters open(Endpoint endpoint, Duration timeout) throws Exception;
    }
}
