// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectException.Reason;
import io.millrace.client.Fusion;
import io.millrace.client.RedisUri;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens a transport and makes it ready: TCP, TLS, handshake, all within one time limit.
 *
 * <p>DESIGN. The work is done by a platform thread of its own, while the caller waits for as long as it was told. So neither a
 * name server nor a peer that trickles bytes can keep the caller; an interrupt of the caller cannot close the socket; and a
 * virtual caller does not make the channel non-blocking for good, as it would by blocking in it.
 */
final class Connector {

    /** Past the deadline of the socket's own timeouts, which say better what was being waited for. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClientOptions options;
    private final RedisUri uri;
    private final boolean introduces;
    private final Set<Fusion> wanted;
    private final long limitNanos;
    private final long deadline;

    /** What has been opened so far; written by the working thread, closed by the caller if time is up. */
    private volatile @Nullable Closeable opened;

    private final CompletableFuture<Link> result = new CompletableFuture<>();

    Connector(ClientOptions options) {
        this(options, true, Long.MAX_VALUE, Fusion.NONE);
    }

    /**
     * An attempt whose time runs from now.
     *
     * @param introduces whether the handshake tells the server the name of this library; if not, the caller does
     * @param limitNanos how long it may take, if that is less than the connect timeout; 1 ms at least
     * @param wanted what shall be fused, if the server takes it
     */
    Connector(ClientOptions options, boolean introduces, long limitNanos, Set<Fusion> wanted) {
        this.introduces = introduces;
        this.wanted = wanted;
        this.options = options;
        this.uri = options.uri();
        this.limitNanos = Math.clamp(
                limitNanos,
                TimeUnit.MILLISECONDS.toNanos(1),
                options.connectTimeout().toNanos());
        this.deadline = System.nanoTime() + this.limitNanos;
    }

    /**
     * A connection for one reading and one writing thread that may wait in the operating system.
     *
     * @throws ConnectException if there is none to be had
     */
    static Link connectBlocking(ClientOptions options, Set<Fusion> wanted) {
        Connector connector = new Connector(options, true, Long.MAX_VALUE, wanted);
        Link link = connector.open();
        try {
            return link.transport() instanceof ChannelTransport channel
                    ? new Link(channel.blocking(), link.fusible())
                    : link;
        } catch (IOException e) {
            link.transport().close();
            throw connector.unreachable(describe(e), e);
        }
    }

    /** Any thread: ends {@link #open}, whoever waits in it. */
    void cancel() {
        giveUp(unreachable("given up by this client"));
    }

    /**
     * Waits for a transport on which the handshake is done. Once.
     *
     * @throws ConnectException if there is none to be had
     */
    Link open() {
        Thread.ofPlatform().name("millrace-connect").daemon().start(this::work);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get(deadline + GRACE_NANOS - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    giveUp(unreachable(noAnswer()));
                } catch (ExecutionException e) {
                    Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
                    throw cause instanceof ConnectException failure ? failure : unreachable(describe(cause), cause);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void giveUp(ConnectException why) {
        Closeable half = opened;
        if (result.completeExceptionally(why) && half != null) {
            Closing.quietly(half);
        }
    }

    /** On the working thread: what is to be closed if the attempt is given up. */
    private void opened(Closeable half) {
        opened = half;
        if (result.isDone()) {
            Closing.quietly(half);
        }
    }

    /** On the working thread. */
    private void work() {
        Transport transport = null;
        try {
            transport = openTransport();
            Set<Fusion> fusible = new Handshake(transport, options, deadline, introduces).perform(wanted);
            if (!result.complete(new Link(transport, fusible))) {
                transport.close();
            }
        } catch (Throwable e) {
            if (transport != null) {
                transport.close();
            }
            result.completeExceptionally(e);
        }
    }

    private Transport openTransport() {
        try {
            return switch (uri.endpoint()) {
                case RedisUri.Tcp tcp -> open(tcp);
                case RedisUri.Unix unix -> open(unix);
            };
        } catch (UnknownHostException e) {
            throw unreachable("its host name is not known. Check host and port", e);
        } catch (SSLException e) {
            throw new ConnectException(
                    Reason.TLS,
                    "cannot agree on TLS with " + uri + ": " + describe(e)
                            + ". Check that the port speaks TLS, certificate and host name, and whether it asks for a client certificate.",
                    e);
        } catch (SocketTimeoutException e) {
            throw unreachable(noAnswer(), e);
        } catch (IOException e) {
            throw unreachable(describe(e) + ". Check " + place() + ", and that the server runs", e);
        }
    }

    private Transport open(RedisUri.Tcp tcp) throws IOException {
        SSLSocketFactory tls = uri.tls() ? tlsFactory() : null;
        IOException lastFailure = null;
        InetAddress[] addresses = InetAddress.getAllByName(tcp.host());
        for (int i = 0; i < addresses.length; i++) {
            try {
                // An address that swallows everything leaves their share of the time to the others.
                int millis = Math.max(1, millisUntil(deadline) / (addresses.length - i));
                InetSocketAddress address = new InetSocketAddress(addresses[i], tcp.port());
                return tls == null ? open(address, millis) : open(tcp.host(), address, tls, millis);
            } catch (SocketException | SocketTimeoutException e) {
                lastFailure = e;
            }
        }
        throw lastFailure == null ? new IOException("it has no address") : lastFailure;
    }

    private SSLSocketFactory tlsFactory() {
        try {
            return TlsContext.socketFactory(options.tls());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new ConnectException(
                    Reason.TLS,
                    "cannot use the TLS files for " + uri + ": " + e.getClass().getSimpleName() + ": " + describe(e)
                            + ". They must be PEM files that can be read.",
                    e);
        }
    }

    private Transport open(String host, InetSocketAddress address, SSLSocketFactory tls, int millis)
            throws IOException {
        Socket plain = new Socket();
        opened(plain);
        String serverName = options.tls().serverName().orElse(host);
        return TlsTransport.connect(
                plain, address, tls, serverName, options.tls().verifies(), millis);
    }

    private Transport open(InetSocketAddress address, int millis) throws IOException {
        SocketChannel channel = SocketChannel.open();
        opened(channel);
        try {
            channel.socket().connect(address, millis);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
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

    private String place() {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp ignored -> "host and port";
            case RedisUri.Unix ignored -> "the path of the socket";
        };
    }

    private ConnectException unreachable(String why) {
        return new ConnectException(Reason.UNREACHABLE, inVain(why));
    }

    private ConnectException unreachable(String why, Throwable cause) {
        return new ConnectException(Reason.UNREACHABLE, inVain(why), cause);
    }

    private String inVain(String why) {
        return "cannot connect to " + uri + ": " + why + ".";
    }

    private String noAnswer() {
        return "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms. "
                + (uri.tls() ? "Check that the port speaks TLS, and " : "Check ") + place();
    }

    static int millisUntil(long deadline) throws SocketTimeoutException {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
            throw new SocketTimeoutException("timed out");
        }
        return (int) millis;
    }

    static String describe(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }
}
