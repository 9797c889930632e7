// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** TCP or a Unix socket for one reading and one writing platform thread: a read is one system call instead of two. */
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
        throw new UnsupportedOperationException("the handshake comes before");
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
        throw new UnsupportedOperationException("only a reader of its own waits here");
    }

    @Override
    public void awaitWritable() {}

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
