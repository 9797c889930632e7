// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.CommandCounts;
import io.millrace.client.Outcome;
import io.millrace.client.ReplicationListener;
import io.millrace.client.ReplicationListener.ServerListener;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.stats.StatsRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts and reports the final outcomes of a {@link ClusterBulkWriter}. Used by the owner of the writer, except
 * {@link #counts}.
 *
 * <p>An exception of the listener must not leave a connection in the middle of its work, so it is kept until the end of the
 * writer's method.
 */
final class FinalOutcomes {

    private static final int MAX_SUPPRESSED = 10;

    private final BulkListener listener;
    private final StatsRegistry statsRegistry;

    // Written by the owner, read by any thread.
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong ok = new AtomicLong();
    private final AtomicLong error = new AtomicLong();
    private final AtomicLong timedOut = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    private boolean inListener;
    private @Nullable Throwable thrown;

    FinalOutcomes(BulkListener listener, StatsRegistry statsRegistry) {
        this.listener = listener;
        this.statsRegistry = statsRegistry;
    }

    void countSubmitted() {
        increment(submitted);
    }

    private static void increment(AtomicLong counter) {
        counter.lazySet(counter.getPlain() + 1);
    }

    /** The listener for the outcomes of a new connection to the server at {@code address}. */
    BulkListener opened(String address) {
        return listener instanceof ReplicationListener replication ? replication.opened(address) : listener;
    }

    /**
     * Reports a command. Its connection has counted the outcome for the client.
     *
     * @param receiver the listener of the connection
     */
    void report(BulkListener receiver, long tag, CommandSpec<?> spec, Outcome outcome) {
        // Most outcomes are of this kind. The switch costs more.
        increment(outcome instanceof Outcome.Ok ? ok : counter(outcome));
        inListener = true;
        try {
            receiver.ended(tag, spec, outcome);
        } catch (Throwable e) {
            keep(e);
        } finally {
            inListener = false;
        }
    }

    /** Reports the outcome of a mark. */
    void marked(ServerListener receiver, Outcome mark) {
        call(() -> receiver.marked(mark));
    }

    /** Reports that a connection is closed. */
    void closed(ServerListener receiver, boolean lost) {
        call(() -> receiver.closed(lost));
    }

    private void call(Runnable receiver) {
        inListener = true;
        try {
            receiver.run();
        } catch (Throwable e) {
            keep(e);
        } finally {
            inListener = false;
        }
    }

    private AtomicLong counter(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> ok;
            case Outcome.Failed ignored -> error;
            case Outcome.TimedOut ignored -> timedOut;
            case Outcome.Refused ignored -> refused;
            case Outcome.Lost ignored -> lost;
        };
    }

    /** Reports a command that is on no connection. */
    void reportUnsent(long tag, CommandSpec<?> spec, Outcome outcome) {
        statsRegistry.countUnsubmitted(outcome);
        report(listener, tag, spec, outcome);
    }

    private void keep(Throwable e) {
        Throwable first = thrown;
        if (first == null) {
            thrown = e;
        } else if (!first.equals(e) && first.getSuppressed().length < MAX_SUPPRESSED) {
            first.addSuppressed(e);
        }
    }

    void checkNotInListener() {
        if (inListener) {
            throw new IllegalStateException("a listener must not use the writer that calls it");
        }
    }

    /** Throws the first exception of the listener since the last call, if any. */
    void rethrow() {
        Throwable first = thrown;
        thrown = null;
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }

    /** Any thread. */
    CommandCounts counts() {
        long okNow = ok.get();
        long errorNow = error.get();
        long timedOutNow = timedOut.get();
        long refusedNow = refused.get();
        long lostNow = lost.get();
        // Read this count last. A command is counted as submitted before its outcome is counted.
        long submittedNow = submitted.get();
        long pending = submittedNow - okNow - errorNow - timedOutNow - refusedNow - lostNow;
        return new CommandCounts(submittedNow, okNow, errorNow, timedOutNow, refusedNow, lostNow, pending);
    }
}
