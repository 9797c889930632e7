// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.Invalidation;
import io.millrace.client.Protocol;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracking: a {@link PushConnection} that fills a mailbox with invalidations.
 *
 * <p>DESIGN. Whoever keeps copies asks first whether tracking is established and then what has been invalidated. So the thread
 * that reads says that it is lost before it has a new connection, and puts "everything" into the mailbox before it says that
 * it is established again: nobody who sees the one can miss the other.
 *
 * <p>"Established" is not what that thread believes, which may have been kept from running for long, but a proof with a date: the
 * time at which the last {@code PING} was sent whose answer has come, behind everything that the server had said until then.
 */
final class TrackingConnection implements Tracking {

    private final Mailbox<Invalidation> mailbox;
    private final LongSupplier clock;
    private final long validNanos;
    private final PushConnection connection;

    /** A time before which all that the server said has arrived; written by the connection's thread. */
    private volatile long provenNanos;

    private TrackingConnection(Engine engine, TrackingOptions options) {
        this.mailbox = new Mailbox<>("tracking", new ChangedKeys(options.buffer()));
        this.clock = engine.clock();
        this.provenNanos = clock.getAsLong();
        this.validNanos = 2 * options.quiet().toNanos();
        this.connection = new PushConnection(engine, new Following(options), "millrace-tracker");
        if (engine.options().protocol() == Protocol.RESP2) {
            throw connection.refused("invalidations come in RESP3 only, and the options ask for RESP2");
        }
    }

    /** Begins tracking, and waits until the server has confirmed it. */
    static TrackingConnection open(Engine engine, TrackingOptions options) {
        TrackingConnection tracking = new TrackingConnection(engine, options);
        tracking.connection.open();
        return tracking;
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
    public boolean isEstablished() {
        // First the flag: the proof of a connection is older than its flag.
        return connection.isOpen() && clock.getAsLong() - provenNanos <= validNanos;
    }

    @Override
    public void close() {
        connection.close();
    }

    /** What the connection is for. */
    private final class Following implements PushPurpose {

        private final TrackingOptions options;

        /** The connection's thread's: whether there was one before. */
        private boolean again;

        private Following(TrackingOptions options) {
            this.options = options;
        }

        @Override
        public String name() {
            return "tracking";
        }

        @Override
        public String deed() {
            return "track keys";
        }

        @Override
        public String advice() {
            return "It takes RESP3, Redis 6.0 or later, and the right to HELLO, CLIENT TRACKING and PING.";
        }

        @Override
        public Pulse pulse() {
            return new Pulse(options.quiet(), true);
        }

        @Override
        public PushDialogue begin() {
            return new TrackingDialogue(options.prefixes(), clock, mailbox::put, nanos -> provenNanos = nanos);
        }

        @Override
        public void established() {
            if (again) {
                mailbox.put(new Invalidation.Everything(Invalidation.Cause.ESTABLISHED));
            }
            again = true;
        }

        @Override
        public void lost() {
            mailbox.put(new Invalidation.Everything(Invalidation.Cause.LOST));
        }

        @Override
        public void ended(@Nullable ConnectException failure) {
            mailbox.close(failure);
        }
    }
}
