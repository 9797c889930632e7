// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * TCP or a Unix socket without TLS. Uses a channel, because {@code write} of a channel returns the number of bytes that
 * were written, and {@code write} of a stream does not.
 *
 * <p>The channel is non-blocking. If a thread is interrupted while it blocks in a channel, the JDK closes the channel
 * for all threads. A thread that waits in a selector can be interrupted without this effect. So callers, which may be
 * interrupted, can read and write. There are two selectors, one for the thread that reads and one for the thread that
 * writes.
 */
final class ChannelTransport implements Transport {

    private final SocketChannel channel;

    /** Used by the thread that reads. */
    private final Selector readable;

    /** Used by the thread that writes. */
    private final Selector writable;

    /**
     * Whether the last read returned all available bytes. If so, the next read must wait first. Used by the thread that
     * reads.
     */
    private boolean drained;

    private ChannelTransport(SocketChannel channel, Selector readable, Selector writable) {
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    /** Creates a transport that owns the connected {@code channel}. */
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

    /** Converts this transport to a blocking transport for one thread that reads and one thread that writes. */
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
            throw new SocketTimeoutException("nothing was received within " + millis + " ms");
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

    /** Waits for {@code millis} at most; 0 waits without a limit. */
    private static void await(Selector selector, int millis) throws IOException {
        selector.select(key -> {}, millis);
    }

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
        // Close the channel first, because this ends the connection. Then close the selectors, which wakes the threads
        // that wait in them.
        Sockets.closeQuietly(channel);
        Sockets.closeQuietly(readable);
        Sockets.closeQuietly(writable);
    }
}
