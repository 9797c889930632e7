// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A blocking transport over TCP or a Unix socket. One platform thread reads, and one platform thread writes. A read
 * takes one system call. A read of a non-blocking channel takes two.
 */
final class BlockingTransport implements Transport {

    private final SocketChannel channel;

    BlockingTransport(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(byte[] buffer) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer));
    }

    @Override
    public int readWithin(byte[] buffer, int millis) {
        throw new UnsupportedOperationException("a blocking transport does not support reads with a timeout");
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public boolean isNonBlocking() {
        return false;
    }

    @Override
    public void wakeReader() {
        throw new UnsupportedOperationException("a blocking transport cannot wake its reader");
    }

    @Override
    public void awaitWritable() {}

    @Override
    public boolean readsEverythingAvailable() {
        return true;
    }

    @Override
    public boolean failedWriteSendsNothing() {
        return true;
    }

    @Override
    public void close() {
        Sockets.closeQuietly(channel);
    }
}
