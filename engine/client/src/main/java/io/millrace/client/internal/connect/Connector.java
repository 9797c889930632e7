// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.fusion.FusionDecision;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens a transport and makes it ready: TCP, TLS and handshake, all within one time limit.
 *
 * <p>DESIGN. A separate platform thread connects while the caller waits up to the limit. So a slow name server, or a
 * peer that sends single bytes, cannot delay the caller beyond the limit. An interrupt of the caller cannot close the
 * socket. A virtual thread that blocks in a channel makes the channel permanently non-blocking; the separate thread
 * avoids this.
 */
public final class Connector {

    /**
     * Extra time that the caller waits after the limit, so that the timeouts of the socket expire first. Their messages
     * are more precise.
     */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClientOptions options;
    private final Login login;
    private final RedisUri uri;
    private final boolean sendsLibraryName;
    private final Set<Fusion> wanted;
    private final ConnectLimit limit;

    /**
     * The socket that the working thread has opened; null if it has opened none. The caller closes the socket after a
     * timeout.
     */
    private volatile @Nullable Closeable opened;

    /** Whether the working thread waits for credentials. Written by the working thread. */
    private volatile boolean asking;

    /** Set before the attempt starts. */
    private WantedRole wantedRole = WantedRole.ANY;

    private final CompletableFuture<HandshakeResult> result = new CompletableFuture<>();

    public Connector(ClientOptions options, Login login, LongSupplier clock) {
        this(options, login, clock, true, Long.MAX_VALUE, Fusion.NONE);
    }

    /**
     * Creates an attempt to connect. The time limit starts now.
     *
     * @param clock nanoseconds that never decrease
     * @param sendsLibraryName whether the handshake sends the name of this library; if not, the caller sends the name
     * @param limitNanos maximum time of the attempt in nanoseconds; below 1 ms counts as 1 ms. The attempt
     *     ends after this time or after the connect timeout, whichever is shorter
     * @param wanted kinds of commands to fuse, if the server supports them
     */
    public Connector(
            ClientOptions options,
            Login login,
            LongSupplier clock,
            boolean sendsLibraryName,
            long limitNanos,
            Set<Fusion> wanted) {
        this.login = login;
        this.sendsLibraryName = sendsLibraryName;
        this.wanted = wanted;
        this.options = options;
        this.uri = options.uri();
        long nanos = Math.clamp(
                limitNanos,
                TimeUnit.MILLISECONDS.toNanos(1),
                options.connectTimeout().toNanos());
        this.limit = new ConnectLimit(clock, nanos);
    }

    /**
     * Opens a blocking transport for one thread that reads and one thread that writes.
     *
     * @throws ConnectException if connecting fails
     */
    public static HandshakeResult connectBlocking(
            ClientOptions options, Login login, LongSupplier clock, Set<Fusion> wanted, WantedRole role) {
        Connector connector = new Connector(options, login, clock, true, Long.MAX_VALUE, wanted).wants(role);
        HandshakeResult handshakeResult = connector.open();
        try {
            return handshakeResult.transport() instanceof ChannelTransport channel
                    ? handshakeResult.with(channel.blocking())
                    : handshakeResult;
        } catch (IOException e) {
            handshakeResult.transport().close();
            throw connector.unreachable(describe(e), e);
        }
    }

    /** Sets the role of the server to look for, before {@link #open}. The default is {@link WantedRole#ANY}. */
    public Connector wants(WantedRole role) {
        wantedRole = role;
        return this;
    }

    /** Makes {@link #open} fail. Called by any thread. */
    public void cancel() {
        fail(unreachable("cancelled by this client"));
    }

    /**
     * Connects, and waits until the handshake is done. Must be called only once.
     *
     * @throws ConnectException if connecting fails
     */
    public HandshakeResult open() {
        return open(Long.MAX_VALUE, () -> {});
    }

    /**
     * Like {@link #open()}. During the wait, the calling thread runs {@code meanwhile} every few milliseconds. {@code
     * meanwhile} must not block.
     *
     * @throws ConnectException if connecting fails
     */
    HandshakeResult open(Runnable meanwhile) {
        return open(Timekeeper.TICK_NANOS, meanwhile);
    }

    private HandshakeResult open(long tickNanos, Runnable meanwhile) {
        Thread worker = ClientThreads.platform("millrace-connect", this::work);
        worker.start();
        boolean interrupted = false;
        try {
            while (true) {
                long nanosLeft = limit.nanosLeft() + GRACE_NANOS;
                try {
                    return result.get(Math.min(nanosLeft, tickNanos), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    if (nanosLeft > tickNanos) {
                        meanwhile.run();
                    } else {
                        fail(asking ? login.tooSlow(limit) : unreachable(TransportOpener.timedOut(uri, limit)));
                    }
                } catch (ExecutionException e) {
                    Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
                    throw cause instanceof ConnectException failure ? failure : unreachable(describe(cause), cause);
                }
            }
        } finally {
            if (result.isCompletedExceptionally()) {
                // A credentials provider may still block.
                worker.interrupt();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void fail(ConnectException why) {
        if (result.completeExceptionally(why)) {
            // The worker sets `opened` before it reads the result, so one of the two threads closes the socket.
            Closeable socket = opened;
            if (socket != null) {
                Sockets.closeQuietly(socket);
            }
        }
    }

    /**
     * Called by the working thread. Stores {@code socket}, so that a cancellation can close it. Closes the socket now
     * if the attempt has already ended.
     */
    private void opened(Closeable socket) {
        opened = socket;
        if (result.isDone()) {
            Sockets.closeQuietly(socket);
        }
    }

    private void work() {
        HandshakeResult found = null;
        try {
            found = uri.endpoint() instanceof RedisUri.Sentinels sentinels
                    ? connectToPrimaryOf(sentinels)
                    : connectTo(new TransportOpener(options, uri.endpoint(), limit, this::opened));
            if (!result.complete(found)) {
                found.transport().close();
            }
        } catch (Throwable e) {
            if (found != null) {
                found.transport().close();
            }
            result.completeExceptionally(e);
        }
    }

    /** Connects to a server of the wanted role; if no address has one, to any server. */
    private HandshakeResult connectTo(TransportOpener opener) {
        HandshakeResult found = connectOnce(opener, limit);
        try {
            while (wantedRole != WantedRole.ANY && found.role() == ServerRole.REPLICA && opener.hasNext()) {
                found = betterOf(found, connectToNext(opener));
            }
            return found;
        } catch (Throwable e) {
            found.transport().close();
            throw e;
        }
    }

    /** Like {@link #connectOnce}; returns null if the remaining addresses have no usable server. */
    private @Nullable HandshakeResult connectToNext(TransportOpener opener) {
        try {
            return connectOnce(opener, limit);
        } catch (ConnectException e) {
            ClientLog.logger().log(Level.DEBUG, "an address of " + uri + " cannot be used", e);
            return null;
        }
    }

    /** Closes the worse one of two connections, and returns the other one. Prefers the first of two replicas. */
    private static HandshakeResult betterOf(HandshakeResult replica, @Nullable HandshakeResult other) {
        if (other == null) {
            return replica;
        }
        boolean otherIsBetter = other.role() != ServerRole.REPLICA;
        (otherIsBetter ? replica : other).transport().close();
        return otherIsBetter ? other : replica;
    }

    /** Asks the Sentinels, and connects to the first address that a Sentinel names and that is the address of a primary. */
    private HandshakeResult connectToPrimaryOf(RedisUri.Sentinels sentinels) {
        try (SentinelQuery query = SentinelQuery.start(options, sentinels, limit)) {
            for (RedisUri.Tcp address = query.next(); address != null; address = query.next()) {
                HandshakeResult found = connectToPrimary(address, query);
                if (found != null) {
                    return found;
                }
            }
            throw query.failure();
        }
    }

    /** Returns null if the server at {@code address} cannot be used or is not a primary. */
    private @Nullable HandshakeResult connectToPrimary(RedisUri.Tcp address, SentinelQuery query) {
        // A server that does not answer leaves time for the answers of the other Sentinels.
        ConnectLimit part = query.isComplete() ? limit : limit.half();
        try {
            HandshakeResult found = connectOnce(new TransportOpener(options, address, part, this::opened), part);
            if (found.role() == ServerRole.PRIMARY) {
                return found.at(address);
            }
            found.transport().close();
            query.isNoPrimary(address);
        } catch (ConnectException e) {
            query.failed(address, e);
        }
        return null;
    }

    /** Opens a connection to the next address that accepts it, and performs the handshake. */
    private HandshakeResult connectOnce(TransportOpener opener, ConnectLimit until) {
        Transport transport = opener.open();
        try {
            // Read the version first: the provider may return the credentials of a later version, but never of an
            // earlier one.
            long loginVersion = login.version();
            asking = true;
            Credentials credentials = login.ask(until);
            asking = false;
            Handshake handshake = new Handshake(transport, options, credentials, until, sendsLibraryName);
            FusionDecision fusible = handshake.perform(wanted, asksRole(opener));
            return new HandshakeResult(transport, fusible, handshake.isResp3(), loginVersion, handshake.role(), null);
        } catch (Throwable e) {
            transport.close();
            throw e;
        }
    }

    private boolean asksRole(TransportOpener opener) {
        return wantedRole == WantedRole.PRIMARY
                || uri.endpoint() instanceof RedisUri.Sentinels
                || (wantedRole != WantedRole.ANY && opener.hasSeveral());
    }

    private ConnectException unreachable(String why) {
        return new ConnectException(Reason.UNREACHABLE, connectFailure(why));
    }

    private ConnectException unreachable(String why, Throwable cause) {
        return new ConnectException(Reason.UNREACHABLE, connectFailure(why), cause);
    }

    private String connectFailure(String why) {
        return "cannot connect to " + uri + ": " + why + ".";
    }

    public static String describe(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }
}
