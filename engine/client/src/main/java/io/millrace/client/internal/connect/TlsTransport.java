// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** TLS over TCP. After a failed write it is unknown which bytes were sent. */
final class TlsTransport implements Transport {

    /** The socket to close. Closing the TLS socket would send close_notify and wait for a blocked writer. */
    private final Socket plain;

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;

    /** Reader: the current read timeout of the socket in milliseconds; 0 means no timeout. */
    private int limitMillis;

    private TlsTransport(Socket plain, SSLSocket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects {@code plain} and performs the TLS handshake.
     *
     * @param serverName name for SNI and, if {@code verifyName}, for the check of the certificate
     * @param millis timeout for connecting, and for each read of the handshake
     */
    static TlsTransport connect(
            Socket plain,
            InetSocketAddress address,
            SSLSocketFactory factory,
            String serverName,
            boolean verifyName,
            int millis)
            throws IOException {
        try {
            plain.connect(address, millis);
            plain.setSoTimeout(millis);
            SSLSocket socket = (SSLSocket) factory.createSocket(plain, serverName, address.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            if (verifyName) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            parameters.setServerNames(serverNames(serverName));
            socket.setSSLParameters(parameters);
            handshake(socket);
            socket.setSoTimeout(0);
            return new TlsTransport(plain, socket);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    /**
     * Performs the handshake. The server may refuse the certificate of this client, or require a certificate that this
     * client does not have. Such a server may close the connection while this client still sends, so a {@link
     * SocketException} becomes an {@link SSLException}.
     */
    private static void handshake(SSLSocket socket) throws IOException {
        try {
            socket.startHandshake();
        } catch (SocketException e) {
            throw new SSLException("the server closed the connection: " + Connector.describe(e), e);
        }
    }

    /**
     * Returns the name for SNI. Empty if the host is an address, or a name that the standard does not allow, such as
     * my_redis.
     */
    private static List<SNIServerName> serverNames(String host) {
        if (host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'))) {
            return List.of();
        }
        try {
            return List.of(new SNIHostName(host));
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    @Override
    public int read(byte[] buffer) throws IOException {
        return readWithin(buffer, 0);
    }

    /**
     * Reads, and waits for {@code millis} at most; 0 waits without a limit. If a read times out within a TLS record,
     * the next read continues within that record.
     */
    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        if (millis != limitMillis) {
            // The timeout is not reset after the read. After a failed read the socket is closed, and the exception of
            // the reset would hide the cause.
            socket.setSoTimeout(millis);
            limitMillis = millis;
        }
        return in.read(buffer);
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        return length;
    }

    @Override
    public boolean isNonBlocking() {
        return false;
    }

    @Override
    public void wakeReader() {
        throw new UnsupportedOperationException("a TLS transport cannot wake its reader");
    }

    @Override
    public void awaitWritable() {}

    @Override
    public boolean readsEverythingAvailable() {
        return false;
    }

    @Override
    public boolean failedWriteSendsNothing() {
        return false;
    }

    @Override
    public void close() {
        Sockets.closeQuietly(plain);
    }
}
