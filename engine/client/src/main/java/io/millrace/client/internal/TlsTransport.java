// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** TLS over TCP. What the other side has of a failed write is not known. */
final class TlsTransport implements Transport {

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;

    private TlsTransport(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects and agrees on TLS.
     *
     * @param serverName to ask for and, if {@code verifyName}, to find in the certificate
     * @param millis for the connection, and again for each read of the handshake
     */
    static TlsTransport connect(
            InetSocketAddress address, SSLSocketFactory factory, String serverName, boolean verifyName, int millis)
            throws IOException {
        Socket plain = new Socket();
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
            if (!looksLikeAddress(serverName)) {
                parameters.setServerNames(List.of(new SNIHostName(serverName)));
            }
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            socket.setSoTimeout(0);
            return new TlsTransport(socket);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    private static boolean looksLikeAddress(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    @Override
    public int read(byte[] buffer) throws IOException {
        return in.read(buffer);
    }

    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return in.read(buffer);
        } finally {
            socket.setSoTimeout(0);
        }
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        return length;
    }

    @Override
    public boolean failsWithoutSending() {
        return false;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a socket failed", e);
        }
    }
}
