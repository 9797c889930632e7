// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a lost connection, or opens the first connection if the client connects later. The delays between the
 * attempts grow. After a refused login, the next attempt follows after the longest delay: a login usually stays refused
 * until an operator changes the server or the credentials, and a server may count refused logins. Used by the writer of the
 * connection.
 */
public final class Reconnector {

    private final ClientOptions options;
    private final Login login;
    private final Set<Fusion> wanted;
    private final String name;
    private final ClockAndRandom clockAndRandom;
    private final LongSupplier clock;
    private final Backoff backoff;
    private final LongAdder reconnections = new LongAdder();

    /** The current attempt; written by the writer, read by the thread that cancels. */
    private volatile @Nullable Connector attempt;

    /** Set to true by {@link #cancel}; never reset. */
    private volatile boolean cancelled;

    /** Whether the credentials have changed since the last attempt. Set by any thread, reset by the writer. */
    private volatile boolean loginChanged;

    /**
     * Why the last attempt was refused, such as a wrong password; null if the last attempt was not refused. Written by
     * the writer, read by any thread.
     */
    private volatile @Nullable String refusal;

    /**
     * Whether any connection was to a server that was not a replica. Then a lost connection is replaced by a connection
     * to a primary, if the host name has several addresses. Written by the thread that creates the connection and then
     * by the writer; read by any thread.
     */
    private volatile boolean hadPrimary;

    /** Why the last attempt failed; empty before the first failure. Written by the writer, read by any thread. */
    private volatile String lastFailure = "";

    /** Whether there was no connection so far. Written like {@link #hadPrimary}; read by any thread. */
    private volatile boolean unconnected;

    /** Whether {@link #connect} was called. Used by the writer only. */
    private boolean attempted;

    /** Number of failed attempts since the backoff was reset. Used by the writer only. */
    private int failures;

    /**
     * Time at which the current connection was opened. For the first connection, the time at which this object was
     * created. Used by the writer only.
     */
    private long connectedNanos;

    public Reconnector(
            ClientOptions options, Login login, Set<Fusion> wanted, String name, ClockAndRandom clockAndRandom) {
        this.options = options;
        this.login = login;
        this.wanted = wanted;
        this.name = name;
        this.clockAndRandom = clockAndRandom;
        this.clock = clockAndRandom.clock();
        this.connectedNanos = clock.getAsLong();
        this.backoff = new Backoff(options.reconnectDelay(), options.maxReconnectDelay(), clockAndRandom.random());
    }

    /** Creates a search for a primary, for the same connection. The parameters are those of {@link PrimarySearch}. */
    public PrimarySearch primarySearch(Supplier<RedisUri.@Nullable Tcp> current, Consumer<HandshakeResult> whenFound) {
        return new PrimarySearch(options, login, wanted, name, clockAndRandom, this, current, whenFound);
    }

    /**
     * Connects after a connection was lost. Returns when an attempt succeeds. If the lost connection was healthy, the
     * delays start again with the shortest. The lost connection counts as healthy if it received any reply, or if it was
     * open for longer than the longest delay. The second condition is for idle connections, which receive no replies.
     *
     * @param cause cause of the loss
     * @param useful whether any reply arrived over the lost connection
     * @param meanwhile runs every few milliseconds while this method waits
     * @return the new connection; null if this object was {@linkplain #cancel cancelled}
     */
    @Nullable
    public HandshakeResult connect(String cause, boolean useful, Runnable meanwhile) {
        boolean healthyBefore = useful
                || clock.getAsLong() - connectedNanos
                        > options.maxReconnectDelay().toNanos();
        if (healthyBefore) {
            backoff.reset();
            failures = 0;
        }
        // A change before the loss is no reason to skip the delay: the next attempt uses the newest credentials anyway.
        loginChanged = false;
        boolean first = unconnected && !attempted;
        attempted = true;
        if (!first) {
            log(healthyBefore, "lost the connection to " + options.uri() + ": " + cause);
        }
        FlightRecorderEvents.Reconnect event = FlightRecorderEvents.beginReconnect();
        int attempts = 0;
        HandshakeResult handshakeResult = null;
        while (!cancelled && handshakeResult == null) {
            await(first && attempts == 0 ? 0 : backoff.nextNanos(), meanwhile);
            attempts++;
            handshakeResult = tryOnce(meanwhile);
        }
        FlightRecorderEvents.endReconnect(event, name, cause, attempts, handshakeResult != null);
        return handshakeResult;
    }

    private @Nullable HandshakeResult tryOnce(Runnable meanwhile) {
        Connector connector = new Connector(options, login, clock, true, Long.MAX_VALUE, wanted)
                .wants(hadPrimary ? WantedRole.PRIMARY_IF_SEVERAL : WantedRole.ANY);
        attempt = connector;
        loginChanged = false;
        if (cancelled) {
            return null;
        }
        try {
            HandshakeResult handshakeResult = connector.open(meanwhile);
            refusal = null;
            connectedNanos = clock.getAsLong();
            if (!unconnected) {
                reconnections.increment();
            }
            ClientLog.logger()
                    .log(Level.INFO, unconnected ? "connected to {0}" : "connected again to {0}", options.uri());
            return handshakeResult;
        } catch (ConnectException e) {
            failed(e);
            return null;
        } catch (Throwable e) {
            // There are too few threads or too little memory. A later attempt may succeed.
            ClientLog.logger().log(Level.WARNING, "cannot connect again to " + options.uri(), e);
            return null;
        }
    }

    /** The writer has replaced the connection by a connection that this object has not opened. */
    public void changed() {
        connectedNanos = clock.getAsLong();
        reconnections.increment();
    }

    /**
     * Stores the role of the server of a new connection. Called by the thread that creates the first connection, and
     * then by the writer. Without a call, lost connections are replaced by connections to any server.
     */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread at a time writes
    public void connected(ServerRole role) {
        unconnected = false;
        hadPrimary |= role != ServerRole.REPLICA;
    }

    /**
     * Starts with the first connection; called by the thread that creates it. If there is none yet, the first attempt
     * follows without a delay, and is not counted.
     */
    public void startsWith(HandshakeResult first) {
        unconnected = !first.isConnected();
        if (!unconnected) {
            connected(first.role());
        }
    }

    /** Any thread: returns whether there was a connection. */
    public boolean wasConnected() {
        return !unconnected;
    }

    /** Any thread: returns why the last attempt failed; empty before the first failure. */
    public String lastFailure() {
        return lastFailure;
    }

    /** Any thread: returns whether any connection was to a server that was not a replica. */
    public boolean hadPrimary() {
        return hadPrimary;
    }

    private void failed(ConnectException failure) {
        String message = String.valueOf(failure.getMessage());
        lastFailure = message;
        if (failure.reason() != ConnectException.Reason.AUTHENTICATION) {
            refusal = null;
            log(false, message);
            return;
        }
        backoff.growToLongest();
        String refused = message + " The client tries again within "
                + options.maxReconnectDelay().toMillis() + " ms.";
        log(refusal == null, refused);
        refusal = refused;
    }

    /**
     * Logs {@code message}. The level is WARNING for a new problem and for failures number 1, 2, 4, 8, and so on. The
     * level is DEBUG for all other failures.
     */
    private void log(boolean isNew, String message) {
        boolean warns = isNew || Integer.bitCount(++failures) == 1;
        ClientLog.logger().log(warns && !cancelled ? Level.WARNING : Level.DEBUG, message);
    }

    private void await(long nanos, Runnable meanwhile) {
        long until = clock.getAsLong() + nanos;
        meanwhile.run();
        for (long left = nanos; left > 0 && !cancelled && !loginChanged; left = until - clock.getAsLong()) {
            LockSupport.parkNanos(this, Math.min(left, Timekeeper.TICK_NANOS));
            meanwhile.run();
        }
    }

    /**
     * Any thread: makes a running {@link #connect} return soon. Later calls of {@code connect} return without an
     * attempt. The caller must unpark a thread that waits in {@code connect}.
     */
    public void cancel() {
        cancelled = true;
        Connector current = attempt;
        if (current != null) {
            current.cancel();
        }
    }

    /** Any thread: ends the delay before the next attempt, because the credentials have changed. */
    public void loginChanged() {
        loginChanged = true;
    }

    /** Any thread: returns why the last attempt was refused, such as a wrong password; null if it was not refused. */
    @Nullable
    public String refusal() {
        return refusal;
    }

    /** Any thread: returns how often a lost connection was replaced. */
    public long reconnections() {
        return reconnections.sum();
    }
}
