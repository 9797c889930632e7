// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.ClockAndRandom;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a server that accepts writes, after the server of a connection has answered {@code READONLY}, or after a
 * Sentinel has named another server. The connection is used until a primary is found.
 *
 * <p>DESIGN. Each {@code READONLY} reply may start an attempt, on a separate thread. An attempt resolves the host name
 * again, connects, and reads the role of the server. There is at most one attempt at a time, and a delay between two
 * attempts:
 *
 * <ul>
 *   <li>If the connection had a primary, the cause is a failover. Its end is near, so the delays grow like the delays
 *       between attempts to reconnect. Refused writes are sent again until their deadlines.
 *   <li>If the connection always had a replica, the user may have connected to a replica by mistake. So the delay is
 *       {@code maxReconnectDelay}, and refused writes fail as soon as an attempt has found no primary.
 * </ul>
 *
 * <p>Without writes and without Sentinels there are no attempts. If a Sentinel has named another server, the attempts go
 * on until a primary is found: the server of the connection may hang, and then no reply starts the next attempt.
 */
public final class PrimarySearch {

    private final ClientOptions options;
    private final Login login;
    private final Set<Fusion> wanted;
    private final String name;
    private final LongSupplier clock;
    private final Reconnector reconnector;
    private final Supplier<RedisUri.@Nullable Tcp> current;
    private final Consumer<HandshakeResult> whenFound;

    /** Whether a Sentinel has named another server than that of the connection. Set by any thread, reset by an attempt. */
    private volatile boolean moved;

    /**
     * Whether an attempt runs, or its result is not in use yet. Set by the thread that reads, by a compare-and-set;
     * reset by the thread of the attempt, or by the writer after it has changed to the new connection.
     */
    private final AtomicBoolean running = new AtomicBoolean();

    /** The thread that has set {@link #running} uses this field. */
    private final Backoff backoff;

    /** Time of the next attempt. Written by the thread of an attempt before it resets {@link #running}. */
    private volatile long nextNanos;

    /** The thread of the last attempt; null before the first. Written by the thread that starts it. */
    private volatile @Nullable Thread thread;

    /** The current attempt; written by its thread, read by the thread that closes. */
    private volatile @Nullable Connector attempt;

    /** Set to true by {@link #close}; never reset. */
    private volatile boolean closed;

    /**
     * Creates a search that has not started.
     *
     * @param wanted kinds of commands to fuse over the new connection
     * @param name name of the connection
     * @param current returns the address of the connection that a Sentinel has named; null without Sentinels
     * @param whenFound receives a new connection, on the thread of the attempt; must then call {@link #used}
     */
    public PrimarySearch(
            ClientOptions options,
            Login login,
            Set<Fusion> wanted,
            String name,
            ClockAndRandom clockAndRandom,
            Reconnector reconnector,
            Supplier<RedisUri.@Nullable Tcp> current,
            Consumer<HandshakeResult> whenFound) {
        this.options = options;
        this.login = login;
        this.wanted = wanted;
        this.name = name;
        this.clock = clockAndRandom.clock();
        this.reconnector = reconnector;
        this.current = current;
        this.whenFound = whenFound;
        this.backoff = new Backoff(options.reconnectDelay(), options.maxReconnectDelay(), clockAndRandom.random());
        this.nextNanos = clock.getAsLong();
    }

    /**
     * Called by the thread that reads, after a {@code READONLY} reply. Starts an attempt, if it is time for one.
     *
     * @return whether the refused command may be sent again
     */
    public boolean readOnly() {
        if (closed) {
            return false;
        }
        if (clock.getAsLong() - nextNanos >= 0 && running.compareAndSet(false, true)) {
            start();
        }
        return reconnector.hadPrimary() || running.get();
    }

    /** Any thread: a Sentinel has named another server. Starts attempts, unless an attempt runs. */
    public void moved() {
        moved = true;
        if (!closed && running.compareAndSet(false, true)) {
            start();
        }
    }

    private void start() {
        boolean started = false;
        try {
            Thread next = ClientThreads.platform("millrace-failover-" + name, this::run);
            thread = next;
            next.start();
            started = true;
        } finally {
            if (!started) {
                running.set(false);
            }
        }
    }

    private void run() {
        HandshakeResult found = null;
        try {
            found = connect();
            while (found == null && moved && !closed) {
                LockSupport.parkNanos(this, backoff.nextNanos());
                found = connect();
            }
        } finally {
            // A server of unknown role may be the same replica again. So such a server is tried rarely.
            boolean unknown = found != null && found.role() == ServerRole.UNKNOWN;
            nextNanos = clock.getAsLong()
                    + (reconnector.hadPrimary() && !unknown
                            ? backoff.nextNanos()
                            : options.maxReconnectDelay().toNanos());
            if (found == null) {
                end();
            } else {
                whenFound.accept(found);
            }
        }
    }

    /** Ends the attempt. A Sentinel may have named another server meanwhile, so this method may start the next attempt. */
    private void end() {
        running.set(false);
        if (moved) {
            moved();
        }
    }

    /** Returns a connection to another server that is not a replica; null if there is none. */
    private @Nullable HandshakeResult connect() {
        // Reset before the Sentinels are asked. A later message of a Sentinel sets the field again.
        boolean hadMoved = moved;
        moved = false;
        HandshakeResult found;
        try {
            found = connectOnce();
        } catch (ConnectException e) {
            ClientLog.logger().log(Level.DEBUG, "found no primary for " + options.uri(), e);
            found = null;
        }
        if (found == null) {
            moved |= hadMoved;
        } else if (found.address() != null && found.address().equals(current.get())) {
            // The connection already uses the primary.
            found.transport().close();
            return null;
        }
        return found;
    }

    private @Nullable HandshakeResult connectOnce() {
        Connector connector =
                new Connector(options, login, clock, true, Long.MAX_VALUE, wanted).wants(WantedRole.PRIMARY);
        attempt = connector;
        if (closed) {
            return null;
        }
        HandshakeResult found = connector.open();
        if (found.role() != ServerRole.REPLICA) {
            return found;
        }
        found.transport().close();
        return null;
    }

    /** Called by the writer when it uses the connection that was found, or has closed it. */
    public void used() {
        backoff.reset();
        end();
    }

    /** Cancels a running attempt. Waits until its thread has stopped, which does not take long. */
    public void close() {
        closed = true;
        Connector current = attempt;
        if (current != null) {
            current.cancel();
        }
        boolean interrupted = false;
        for (Thread last = thread; last != null && last.isAlive(); last = thread) {
            LockSupport.unpark(last);
            try {
                last.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
