// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import java.io.Closeable;
import java.io.IOException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/**
 * Opens transports to one server: TCP, TLS or a Unix socket. A host name may have several addresses, and a cluster has several
 * hosts; each call of {@link #open} continues with the next address. Used by one thread.
 */
final class TransportOpener {

    private final ClientOptions options;
    private final RedisUri uri;
    private final RedisUri.Endpoint endpoint;
    private final ConnectLimit limit;
    private final Consumer<Closeable> opened;

    /**
     * An address of a host name.
     *
     * @param host the host name, for the check of a certificate
     */
    private record HostAddress(String host, InetSocketAddress address) {}

    /** The addresses of the host names; empty for a Unix socket, and before the first {@link #open}. */
    private List<HostAddress> addresses = List.of();

    /** Number of addresses that were tried. */
    private int tried;

    /**
     * Creates an opener for {@code endpoint}, which is not Sentinels.
     *
     * @param opened receives each socket before it connects, and its transport, so that another thread can close them
     */
    TransportOpener(ClientOptions options, RedisUri.Endpoint endpoint, ConnectLimit limit, Consumer<Closeable> opened) {
        this.options = options;
        this.uri = options.uri();
        this.endpoint = endpoint;
        this.limit = limit;
        this.opened = opened;
    }

    /** After {@link #open}: whether the host name has several addresses. */
    boolean hasSeveral() {
        return addresses.size() > 1;
    }

    /** After {@link #open}: whether there is an address that was not tried. */
    boolean hasNext() {
        return tried < addresses.size();
    }

    /**
     * Connects to the next address that accepts a connection.
     *
     * @throws ConnectException if there is none
     */
    Transport open() {
        try {
            return switch (endpoint) {
                case RedisUri.Tcp tcp -> open(List.of(tcp));
                // Any node will do: a connection for messages.
                case RedisUri.Cluster cluster -> open(cluster.nodes());
                case RedisUri.Unix unix -> open(unix);
                case RedisUri.Sentinels ignored ->
                    throw new IllegalArgumentException("a connection to Sentinels needs the address of one Sentinel");
            };
        } catch (UnknownHostException e) {
            throw unreachable("the host name is not known. Check host and port", e);
        } catch (SSLException e) {
            throw new ConnectException(
                    Reason.TLS,
                    "cannot negotiate TLS with " + uri + ": " + Connector.describe(e)
                            + ". Check that the port speaks TLS, that certificate and host name match,"
                            + " and whether the server requires a client certificate.",
                    e);
        } catch (SocketTimeoutException e) {
            throw unreachable(timedOut(uri, limit), e);
        } catch (IOException e) {
            throw unreachable(Connector.describe(e) + ". Check " + whatToCheck(uri) + ", and that the server runs", e);
        }
    }

    private Transport open(List<RedisUri.Tcp> hosts) throws IOException {
        SSLSocketFactory tls = uri.tls() ? tlsFactory() : null;
        IOException lastFailure = null;
        if (tried == 0) {
            addresses = resolve(hosts);
        }
        while (tried < addresses.size()) {
            // Each address gets an equal share of the remaining time. So an address that does not answer leaves time
            // for the other addresses.
            int millis = Math.max(1, limit.millisLeft() / (addresses.size() - tried));
            HostAddress next = addresses.get(tried++);
            try {
                return tls == null ? open(next.address(), millis) : open(next.host(), next.address(), tls, millis);
            } catch (SocketException | SocketTimeoutException e) {
                lastFailure = e;
            }
        }
        throw lastFailure == null ? new IOException("the host name has no address") : lastFailure;
    }

    /** The addresses of {@code hosts}. Fails only if no name is known. */
    private List<HostAddress> resolve(List<RedisUri.Tcp> hosts) throws UnknownHostException {
        List<HostAddress> all = new ArrayList<>();
        UnknownHostException unknown = null;
        for (RedisUri.Tcp tcp : hosts) {
            try {
                for (InetAddress address : options.addressResolver().resolve(tcp.host())) {
                    all.add(new HostAddress(tcp.host(), new InetSocketAddress(address, tcp.port())));
                }
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (all.isEmpty() && unknown != null) {
            throw unknown;
        }
        return all;
    }

    private SSLSocketFactory tlsFactory() {
        try {
            return TlsContext.socketFactory(options.tls());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new ConnectException(
                    Reason.TLS,
                    options.tls().contextSupplier().isPresent()
                            ? "cannot use TLS for " + uri + ": " + Connector.describe(e)
                                    + ". Check the supplier of the TLS options."
                            : "cannot use the TLS files for " + uri + ": "
                                    + e.getClass().getSimpleName() + ": " + Connector.describe(e)
                                    + ". The TLS files must be readable PEM or PKCS12 files.",
                    e);
        }
    }

    private Transport open(String host, InetSocketAddress address, SSLSocketFactory tls, int millis)
            throws IOException {
        Socket plain = new Socket();
        opened.accept(plain);
        Sockets.configure(plain, options.socket());
        String serverName = options.tls().serverName().orElse(host);
        return TlsTransport.connect(
                plain, address, tls, serverName, options.tls().verifies(), millis);
    }

    private Transport open(InetSocketAddress address, int millis) throws IOException {
        SocketChannel channel = SocketChannel.open();
        opened.accept(channel);
        try {
            Sockets.configure(channel, options.socket());
            channel.socket().connect(address, millis);
            return opened(ChannelTransport.of(channel));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private Transport open(RedisUri.Unix unix) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        opened.accept(channel);
        try {
            channel.connect(UnixDomainSocketAddress.of(unix.path()));
            return opened(ChannelTransport.of(channel));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** A thread that waits in the selector of a transport notices the end of the transport, but not of its channel alone. */
    private Transport opened(Transport transport) {
        opened.accept(transport);
        return transport;
    }

    private ConnectException unreachable(String why, Throwable cause) {
        return new ConnectException(Reason.UNREACHABLE, "cannot connect to " + uri + ": " + why + ".", cause);
    }

    /** The reason for a connection attempt that has reached its limit, with advice. */
    static String timedOut(RedisUri uri, ConnectLimit limit) {
        return "no answer within " + limit.millis() + " ms. "
                + (uri.tls() ? "Check that the port speaks TLS, and " : "Check ") + whatToCheck(uri);
    }

    private static String whatToCheck(RedisUri uri) {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp ignored -> "host and port";
            case RedisUri.Unix ignored -> "the path of the socket";
            case RedisUri.Sentinels ignored -> "the addresses of the Sentinels and of the primary";
            case RedisUri.Cluster ignored -> "the addresses of the nodes";
        };
    }
}
