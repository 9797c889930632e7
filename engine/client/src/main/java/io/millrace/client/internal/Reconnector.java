// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.Fusion;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Replaces a lost connection: tries, waits longer each time, and gives up when it must. Used by the connection's writer. */
final class Reconnector {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    private final ClientOptions options;
    private final Set<Fusion> wanted;
    private final String name;
    private final LongSupplier clock;
    private final Backoff backoff;
    private final LongAdder reconnections = new LongAdder();

    /** The attempt that is under way; written by the writer, read by whoever cancels. */
    private volatile @Nullable Connector attempt;

    /** Set once, by {@link #cancel}. */
    private volatile boolean cancelled;

    /** The writer's: why there must be no other attempt. */
    private @Nullable String refusal;

    /** The writer's: how often it was in vain since there was hope. */
    private int failures;

    /** The writer's: since when there was the connection that is lost next; that of the first, since it was asked for. */
    private long connectedNanos;

    Reconnector(ClientOptions options, Set<Fusion> wanted, String name, LongSupplier clock, RandomGenerator random) {
        this.options = options;
        this.wanted = wanted;
        this.name = name;
        this.clock = clock;
        this.connectedNanos = clock.getAsLong();
        this.backoff = new Backoff(options.reconnectDelay(), options.reconnectDelayMost(), random);
    }

    /**
     * Connects after a loss; returns when it has, or when it is given up. Begins anew with short waits if there is hope for the
     * next connection: the lost one had been of use, or had lived for longer than the longest wait. An idle one is of no use
     * to anybody, and yet nothing was wrong with it.
     *
     * @param cause of the loss
     * @param useful whether the lost connection had been of any use
     * @param meanwhile is run every few milliseconds of waiting
     * @return null if it was {@linkplain #cancel cancelled}, or {@linkplain #refusal refused for good}
     */
    @Nullable
    Link connect(String cause, boolean useful, Runnable meanwhile) {
        boolean hopeful = useful
                || clock.getAsLong() - connectedNanos
                        > options.reconnectDelayMost().toNanos();
        if (hopeful) {
            backoff.reset();
            failures = 0;
        }
        log(hopeful, "lost the connection to " + options.uri() + ": " + cause);
        Events.Reconnect event = new Events.Reconnect();
        event.begin();
        Link link = null;
        while (!cancelled && refusal == null && link == null) {
            await(backoff.nextNanos(), meanwhile);
            event.attempts++;
            link = tryOnce();
        }
        event.connection = name;
        event.cause = cause;
        event.replaced = link != null;
        event.commit();
        return link;
    }

    private @Nullable Link tryOnce() {
        Connector connector = new Connector(options, true, Long.MAX_VALUE, wanted);
        attempt = connector;
        if (cancelled) {
            return null;
        }
        try {
            Link link = connector.open();
            connectedNanos = clock.getAsLong();
            reconnections.increment();
            LOG.log(Level.INFO, "connected again to {0}", options.uri());
            return link;
        } catch (ConnectException e) {
            log(false, String.valueOf(e.getMessage()));
            if (e.reason() == ConnectException.Reason.AUTHENTICATION) {
                refusal = e.getMessage();
            }
            return null;
        } catch (Throwable e) {
            // A shortage of threads or memory, which may pass.
            LOG.log(Level.WARNING, "cannot connect again to " + options.uri(), e);
            return null;
        }
    }

    /** Warns of what is news, and of failures ever more rarely: of the first, second, fourth, eighth and so on. */
    private void log(boolean news, String message) {
        boolean worthIt = news || Integer.bitCount(++failures) == 1;
        LOG.log(worthIt && !cancelled ? Level.WARNING : Level.DEBUG, message);
    }

    private void await(long nanos, Runnable meanwhile) {
        long until = clock.getAsLong() + nanos;
        meanwhile.run();
        for (long left = nanos; left > 0 && !cancelled; left = until - clock.getAsLong()) {
            LockSupport.parkNanos(this, Math.min(left, Timekeeper.TICK_NANOS));
            meanwhile.run();
        }
    }

    /** Any thread: ends {@link #connect} soon, and every later one at once. Who waits must be unparked. */
    void cancel() {
        cancelled = true;
        Connector current = attempt;
        if (current != null) {
            current.cancel();
        }
    }

    /** The writer: why there must be no other attempt, such as a wrong password; null if there may. */
    @Nullable
    String refusal() {
        return refusal;
    }

    /** Any thread: how often a lost connection was replaced. */
    long reconnections() {
        return reconnections.sum();
    }
}
