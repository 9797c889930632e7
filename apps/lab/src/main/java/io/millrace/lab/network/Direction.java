// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a connection through a proxy.
 *
 * <p>DESIGN. A virtual thread reads chunks from {@code source} and stamps each with the time at which the chunk is due.
 * A second virtual thread takes the chunks in the same order, sleeps until the chunk is due, and writes to {@code
 * sink}. All chunks have the same delay, so a queue is enough, and the delay does not lower the bandwidth. The end of a
 * stream and a reset are chunks, too, so both take as long as bytes.
 *
 * <pre>
 *   source -> read() -> [chunk, chunk, end] -> deliver() -> sink
 * </pre>
 */
final class Direction {

    private static final int SMALLEST_BUFFER_BYTES = 8 << 10;
    private static final int LARGEST_BUFFER_BYTES = 64 << 10;

    private final Connection connection;
    private final Socket source;
    private final Socket sink;
    private final Path path;
    private final MemoryLimit.Share share = new MemoryLimit.Share();
    private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();

    /** Set when no chunk is delivered any more. */
    private volatile boolean hasEnded;

    /**
     * What all connections of a proxy share.
     *
     * @param oneWayNanos delay of each direction
     * @param memory limits the bytes that wait for their time
     * @param gate stops all bytes while shut
     */
    record Path(long oneWayNanos, MemoryLimit memory, Gate gate) {}

    private sealed interface Event {}

    private static final class Bytes implements Event {
        private final byte[] bytes;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private enum Ending implements Event {
        /** The sender has ended its stream. The other direction may continue. */
        END_OF_STREAM,
        /** The connection was reset. */
        RESET
    }

    private record Chunk(Event event, long dueNanos) {}

    Direction(Connection connection, Socket source, Socket sink, Path path) {
        this.connection = connection;
        this.source = source;
        this.sink = sink;
        this.path = path;
    }

    /** Reads until the stream ends. Runs in a separate thread. */
    void read() throws InterruptedException {
        Ending ending = Ending.END_OF_STREAM;
        byte[] buffer = new byte[SMALLEST_BUFFER_BYTES];
        try {
            var input = source.getInputStream();
            for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                path.memory.take(share, length);
                add(new Bytes(Arrays.copyOf(buffer, length)));
                if (length == buffer.length && length < LARGEST_BUFFER_BYTES) {
                    buffer = new byte[2 * length];
                }
            }
        } catch (IOException e) {
            ending = Ending.RESET;
        }
        add(ending);
    }

    private void add(Event event) {
        queue.add(new Chunk(event, System.nanoTime() + path.oneWayNanos));
    }

    /** Passes a reset of the sink to the source, after the usual delay. Called by the opposite direction. */
    void addReset() {
        add(Ending.RESET);
        if (hasEnded) {
            connection.reset();
        }
    }

    /** Writes until the last chunk. Runs in a separate thread. */
    void deliver() throws InterruptedException {
        boolean isOpen = true;
        while (isOpen) {
            Chunk chunk = queue.take();
            try {
                sleepUntil(chunk.dueNanos);
                path.gate.pass();
            } catch (InterruptedException e) {
                queue.add(chunk); // for drop(), which releases the memory
                throw e;
            }
            isOpen = deliver(chunk.event);
        }
        hasEnded = true;
        if (queue.stream().anyMatch(chunk -> chunk.event == Ending.RESET)) {
            connection.reset();
        }
    }

    private static void sleepUntil(long dueNanos) throws InterruptedException {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private boolean deliver(Event event) {
        return switch (event) {
            case Bytes chunk -> write(chunk.bytes);
            case Ending.END_OF_STREAM -> {
                connection.endOutput(sink);
                yield false;
            }
            case Ending.RESET -> {
                connection.reset();
                yield false;
            }
        };
    }

    /** Returns whether the sink still takes bytes. */
    private boolean write(byte[] bytes) {
        try {
            sink.getOutputStream().write(bytes);
            return true;
        } catch (IOException e) {
            connection.opposite(this).addReset();
            return false;
        } finally {
            path.memory.release(share, bytes.length);
        }
    }

    /** Gives the memory of chunks back that will not be delivered. Called when both threads have ended. */
    void drop() {
        for (Chunk chunk = queue.poll(); chunk != null; chunk = queue.poll()) {
            if (chunk.event instanceof Bytes undelivered) {
                path.memory.release(share, undelivered.bytes.length);
            }
        }
    }
}
