// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * TCP or a Unix socket without TLS, over a channel whose {@code write} says how much was taken, which streams do not.
 *
 * <p>The channel does not block, so that callers may use it: on a blocking one the interrupt of a thread that reads or
 * writes closes the channel for everybody. The reader and a writer that must wait do so in a selector each.
 */
final class ChannelTransport implements Transport {

    private final SocketChannel channel;

    /** Of whoever reads. */
    private final Selector readable;

    /** Of whoever writes. */
    private final Selector writable;

    /** Whether the last read took all there was, so that the next would come too early. Of whoever reads. */
    private boolean drained;

    private ChannelTransport(SocketChannel channel, Selector readable, Selector writable) {
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    /** Takes over {@code channel}, which is connected. */
    static ChannelTransport of(SocketChannel channel) throws IOException {
        Selector readable = Selector.open();
        try {
            Selector writable = Selector.open();
            try {
                channel.configureBlocking(false);
                channel.register(readable, SelectionKey.OP_READ);
                channel.register(writable, SelectionKey.OP_WRITE);
                return new ChannelTransport(channel, readable, writable);
            } catch (IOException | RuntimeException e) {
                writable.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            readable.close();
            throw e;
        }
    }

    /** The same connection, over which one thread reads and one writes, each waiting in the operating system. */
    Transport blocking() throws IOException {
        readable.close();
        writable.close();
        channel.configureBlocking(true);
        return new BlockingTransport(channel);
    }

    @Override
    public int read(byte[] buffer) throws IOException {
        if (drained) {
            await(readable, 0);
        }
        int count = channel.read(ByteBuffer.wrap(buffer));
        drained = count < buffer.length;
        return count;
    }

    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        ByteBuffer target = ByteBuffer.wrap(buffer);
        int count = channel.read(target);
        if (count == 0) {
            await(readable, millis);
            count = channel.read(target);
        }
        if (count == 0) {
            throw new SocketTimeoutException("nothing came within " + millis + " ms");
        }
        return count;
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public void wakeReader() {
        readable.wakeup();
    }

    @Override
    public void awaitWritable() throws IOException {
        await(writable, 0);
    }

    /** For {@code millis} at most; 0 means for as long as it takes. */
    private static void await(Selector selector, int millis) throws IOException {
        selector.select(key -> {}, millis);
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
        // First the channel, which ends the conversation, then those who wait in the selectors.
        Closing.quietly(channel);
        Closing.quietly(readable);
        Closing.quietly(writable);
    }
}
