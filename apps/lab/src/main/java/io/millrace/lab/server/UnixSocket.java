// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A connected Unix socket as the {@link Socket} that Jedis needs. Has no read timeout. Used by one thread. */
final class UnixSocket extends Socket {

    private final SocketChannel channel;

    UnixSocket(Path path) throws IOException {
        this.channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
    }

    @Override
    public InputStream getInputStream() {
        return Channels.newInputStream(channel);
    }

    @Override
    public OutputStream getOutputStream() {
        return Channels.newOutputStream(channel);
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int timeoutMillis) {
        // A channel has no read timeout.
    }

    @Override
    public int getSoTimeout() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
