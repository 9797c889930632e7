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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
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

    /** The addresses of the host name; empty for a Unix socket. Used by the working thread, like the next field. */
    private List<InetAddress> addresses = List.of();

    /** Number of addresses that were tried. */
    private int tried;

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
                        fail(asking ? login.tooSlow(limit) : unreachable(timedOut()));
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
            found = connectOnce();
            while (wantedRole != WantedRole.ANY && found.role() == ServerRole.REPLICA && tried < addresses.size()) {
                found = betterOf(found, connectToNext());
            }
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

    /** Like {@link #connectOnce}; returns null if the remaining addresses have no usable server. */
    private @Nullable HandshakeResult connectToNext() {
        try {
            return connectOnce();
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

    /** Opens a connection to the next address that accepts it, and performs the handshake. */
    private HandshakeResult connectOnce() {
        Transport transport = openTransport();
        try {
            // Read the version first: the provider may return the credentials of a later version, but never of an
            // earlier one.
            long loginVersion = login.version();
            asking = true;
            Credentials credentials = login.ask(limit);
            asking = false;
            Handshake handshake = new Handshake(transport, options, credentials, limit, sendsLibraryName);
            boolean asksRole =
                    wantedRole == WantedRole.PRIMARY || (wantedRole != WantedRole.ANY && addresses.size() > 1);
            FusionDecision fusible = handshake.perform(wanted, asksRole);
            return new HandshakeResult(transport, fusible, handshake.isResp3(), loginVersion, handshake.role());
        } catch (Throwable e) {
            transport.close();
            throw e;
        }
    }

    private Transport openTransport() {
        try {
            return switch (uri.endpoint()) {
                case RedisUri.Tcp tcp -> open(tcp);
                case RedisUri.Unix unix -> open(unix);
            };
        } catch (UnknownHostException e) {
            throw unreachable("the host name is not known. Check host and port", e);
        } catch (SSLException e) {
            throw new ConnectException(
                    Reason.TLS,
                    "cannot negotiate TLS with " + uri + ": " + describe(e)
                            + ". Check that the port speaks TLS, that certificate and host name match,"
                            + " and whether the server requires a client certificate.",
                    e);
        } catch (SocketTimeoutException e) {
            throw unreachable(timedOut(), e);
        } catch (IOException e) {
            throw unreachable(describe(e) + ". Check " + whatToCheck() + ", and that the server runs", e);
        }
    }

    private Transport open(RedisUri.Tcp tcp) throws IOException {
        SSLSocketFactory tls = uri.tls() ? tlsFactory() : null;
        IOException lastFailure = null;
        if (tried == 0) {
            addresses = options.addressResolver().resolve(tcp.host());
        }
        while (tried < addresses.size()) {
            // Each address gets an equal share of the remaining time. So an address that does not answer leaves time
            // for the other addresses.
            int millis = Math.max(1, limit.millisLeft() / (addresses.size() - tried));
            InetSocketAddress address = new InetSocketAddress(addresses.get(tried++), tcp.port());
            try {
                return tls == null ? open(address, millis) : open(tcp.host(), address, tls, millis);
            } catch (SocketException | SocketTimeoutException e) {
                lastFailure = e;
            }
        }
        throw lastFailure == null ? new IOException("the host name has no address") : lastFailure;
    }

    private SSLSocketFactory tlsFactory() {
        try {
            return TlsContext.socketFactory(options.tls());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new ConnectException(
                    Reason.TLS,
                    options.tls().contextSupplier().isPresent()
                            ? "cannot use TLS for " + uri + ": " + describe(e)
                                    + ". Check the supplier of the TLS options."
                            : "cannot use the TLS files for " + uri + ": "
                                    + e.getClass().getSimpleName() + ": " + describe(e)
                                    + ". The TLS files must be readable PEM or PKCS12 files.",
                    e);
        }
    }

    private Transport open(String host, InetSocketAddress address, SSLSocketFactory tls, int millis)
            throws IOException {
        Socket plain = new Socket();
        opened(plain);
        Sockets.configure(plain, options.socket());
        String serverName = options.tls().serverName().orElse(host);
        return TlsTransport.connect(
                plain, address, tls, serverName, options.tls().verifies(), millis);
    }

    private Transport open(InetSocketAddress address, int millis) throws IOException {
        SocketChannel channel = SocketChannel.open();
        opened(channel);
        try {
            Sockets.configure(channel, options.socket());
            channel.socket().connect(address, millis);
            return ChannelTransport.of(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private Transport open(RedisUri.Unix unix) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        opened(channel);
        try {
            channel.connect(UnixDomainSocketAddress.of(unix.path()));
            return ChannelTransport.of(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private String whatToCheck() {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp ignored -> "host and port";
            case RedisUri.Unix ignored -> "the path of the socket";
        };
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

    private String timedOut() {
        return "no answer within " + limit.millis() + " ms. "
                + (uri.tls() ? "Check that the port speaks TLS, and " : "Check ") + whatToCheck();
    }

    public static String describe(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }
}
