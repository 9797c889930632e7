// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

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

/** TLS over TCP. What the other side has of a failed write is not known. */
final class TlsTransport implements Transport {

    /** What is closed: closing the TLS socket would wait for a writer that the peer keeps waiting, to say goodbye. */
    private final Socket plain;

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;

    /** The reader's: how long a read may take at present. */
    private int limitMillis;

    private TlsTransport(Socket plain, SSLSocket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects {@code plain} and agrees on TLS over it.
     *
     * @param serverName to ask for and, if {@code verifyName}, to find in the certificate
     * @param millis for the connection, and again for each read of the handshake
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
            plain.setTcpNoDelay(true);
            plain.setKeepAlive(true);
            plain.setSoTimeout(millis);
            SSLSocket socket = (SSLSocket) factory.createSocket(plain, serverName, address.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            if (verifyName) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            parameters.setServerNames(askedFor(serverName));
            socket.setSSLParameters(parameters);
            agree(socket);
            socket.setSoTimeout(0);
            return new TlsTransport(plain, socket);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    /** A server that does not like our certificate, or any, may hang up while we still talk. */
    private static void agree(SSLSocket socket) throws IOException {
        try {
            socket.startHandshake();
        } catch (SocketException e) {
            throw new SSLException("the server hung up: " + Connector.describe(e), e);
        }
    }

    /** The name to ask for; none where the host is an address, or a name that the standard does not allow (my_redis). */
    private static List<SNIServerName> askedFor(String host) {
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

    /** 0 means for as long as it takes. A read that gives up within a record goes on there the next time. */
    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        if (millis != limitMillis) {
            // Not to be undone after the read: if that failed the socket is closed, and the reason would be lost.
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
        throw new UnsupportedOperationException("only a reader of its own waits here");
    }

    @Override
    public void awaitWritable() {}

    @Override
    public boolean readsAllThereIs() {
        return false;
    }

    @Override
    public boolean failsWithoutSending() {
        return false;
    }

    @Override
    public void close() {
        Closing.quietly(plain);
    }
}
