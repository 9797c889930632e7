// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Invalidation;
import io.millrace.client.Protocol;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracking: a {@link PushConnection} that fills a mailbox with invalidations.
 *
 * <p>DESIGN. A cache first calls {@link #isUpToDate}, and then polls the invalidations. After a reconnection, the
 * connection's thread uses the reverse order: it first puts an invalidation of all keys into the mailbox, and then
 * declares tracking as established again. So a cache that sees tracking as established also polls this invalidation.
 * When a connection is lost, the thread declares the loss before it reconnects.
 *
 * <p>For {@link #isUpToDate}, an open connection is not enough: the connection's thread may not have been scheduled for
 * a long time, and may not have read invalidations that have arrived. So {@code isUpToDate} also checks the age of the
 * last {@code PING} whose reply was read. All bytes that the server sent before the send time of this {@code PING} were
 * read, too.
 */
public final class TrackingConnection implements Tracking {

    private final Mailbox<Invalidation> mailbox;
    private final LongSupplier clock;
    private final long validNanos;
    private final PushConnection connection;

    /** All bytes that the server sent before this time have arrived. Written by the connection's thread. */
    private volatile long provenNanos;

    /** Whether the end of this connection leaves the mailbox open, because other connections also fill it. */
    private volatile boolean leavesMailboxOpen;

    /**
     * Creates a tracking without a connection.
     *
     * @param mailbox receives the invalidations
     * @param wasEstablished whether a cache may have values of this server already, so that the first confirmation
     *     invalidates all keys
     */
    TrackingConnection(
            ClientOptions client,
            Login login,
            ClockAndRandom clockAndRandom,
            TrackingOptions options,
            Mailbox<Invalidation> mailbox,
            boolean wasEstablished) {
        this.mailbox = mailbox;
        this.clock = clockAndRandom.clock();
        this.provenNanos = clock.getAsLong();
        this.validNanos = 2 * options.pingInterval().toNanos();
        this.connection = new PushConnection(
                client, login, clockAndRandom, new TrackingHandler(options, wasEstablished), "millrace-tracker");
        if (client.protocol() == Protocol.RESP2) {
            throw connection.refused("invalidations need RESP3, but the options set RESP2");
        }
    }

    /** Begins tracking, and waits until the server has confirmed it. */
    public static TrackingConnection open(
            ClientOptions client, Login login, ClockAndRandom clockAndRandom, TrackingOptions options) {
        TrackingConnection tracking =
                new TrackingConnection(client, login, clockAndRandom, options, newMailbox(options), false);
        tracking.start();
        return tracking;
    }

    static Mailbox<Invalidation> newMailbox(TrackingOptions options) {
        return new Mailbox<>("tracking", new InvalidationBuffer(options.buffer()));
    }

    /** Connects, and waits until the server has confirmed the tracking. */
    void start() {
        connection.open();
    }

    /** Connects in the background, and tries again until {@link #close}. */
    void startLater() {
        connection.openLater();
    }

    @Override
    public Optional<Invalidation> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    @Override
    public int waiting() {
        return mailbox.size();
    }

    @Override
    public boolean isUpToDate() {
        // Read isOpen() first: provenNanos of a new connection is written before isOpen() becomes true.
        return connection.isOpen() && clock.getAsLong() - provenNanos <= validNanos;
    }

    @Override
    public void close() {
        connection.close();
    }

    /** Closes this connection, but not its mailbox. */
    void closeQuietly() {
        leavesMailboxOpen = true;
        connection.close();
    }

    /**
     * Enables tracking, and puts an invalidation of all keys into the mailbox when the connection is lost or replaced.
     */
    private final class TrackingHandler implements PushHandler {

        private final TrackingOptions options;

        /** Whether tracking was established over an earlier connection. Used by the connection's thread. */
        private boolean wasEstablished;

        private TrackingHandler(TrackingOptions options, boolean wasEstablished) {
            this.options = options;
            this.wasEstablished = wasEstablished;
        }

        @Override
        public String name() {
            return "tracking";
        }

        @Override
        public String action() {
            return "track keys";
        }

        @Override
        public String advice() {
            return "Tracking needs RESP3, Redis 6.0 or later, and permission for HELLO, CLIENT TRACKING and PING.";
        }

        @Override
        public KeepAlive keepAlive() {
            return new KeepAlive(options.pingInterval(), true);
        }

        @Override
        public PushSession newSession() {
            return new TrackingSession(options.prefixes(), clock, mailbox::put, nanos -> provenNanos = nanos);
        }

        @Override
        public void confirmed() {
            if (wasEstablished) {
                mailbox.put(new Invalidation.Everything(Invalidation.Cause.RECONNECTED));
            }
            wasEstablished = true;
        }

        @Override
        public void lost() {
            mailbox.put(new Invalidation.Everything(Invalidation.Cause.CONNECTION_LOST));
        }

        @Override
        public void ended(@Nullable ConnectException failure) {
            if (!leavesMailboxOpen) {
                mailbox.close(failure);
            }
        }
    }
}
