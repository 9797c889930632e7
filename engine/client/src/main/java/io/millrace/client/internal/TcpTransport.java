// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Plain TCP over a blocking channel, whose {@code write} says how much was taken, which streams do not. */
final class TcpTransport implements Transport {

    private final SocketChannel channel;

    private TcpTransport(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects {@code channel}, which is blocking. */
    static TcpTransport connect(SocketChannel channel, SocketAddress address, int millis) throws IOException {
        try {
            channel.socket().connect(address, millis);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            return new TcpTransport(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public int read(byte[] buffer) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer));
    }

    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        channel.socket().setSoTimeout(millis);
        return channel.socket().getInputStream().read(buffer);
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public boolean readsAllThereIs() {
        return true;
    }

    @Override
    public boolean failsWithoutSending() {
        return true;
    }

    @Override
    public void close() {
        Closing.quietly(channel);
    }
}
