// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A connection of a client through a proxy: two sockets, and two virtual threads for each direction.
 *
 * <p>DESIGN. One thread reads chunks and stamps each with the time at which the chunk is due. A second thread takes the
 * chunks in the same order, sleeps until the chunk is due, and delivers the chunk. All chunks have the same delay, so a
 * queue is enough, and the delay does not lower the bandwidth. The end of a stream and a reset are chunks, too, so both
 * take as long as bytes.
 *
 * <pre>
 *   source -> read() -> [bytes, bytes, end] -> deliver() -> sink
 * </pre>
 */
final class Connection {

    /** The array header of a chunk, its objects, and its place in the queue. */
    static final int CHUNK_OVERHEAD_BYTES = 128;

    /** 200 MB/s over one connection, multiplied by 80 ms, which is half of the longest usual round trip. */
    private static final int DIRECTION_BYTES = 16 << 20;

    private static final int SMALLEST_BUFFER_BYTES = 8 << 10;
    private static final int LARGEST_BUFFER_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(10).toMillis();

    private final Socket client;
    private final Socket server = new Socket();
    private final long oneWayNanos;
    private final AtomicReference<CountDownLatch> gate;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("lab-proxy").factory());
    private final Direction up;
    private final Direction down;

    /** {@code gate} stops all bytes while its latch is not down. */
    Connection(Socket client, Duration delay, AtomicReference<CountDownLatch> gate) {
        this.client = client;
        this.oneWayNanos = delay.toNanos() / 2;
        this.gate = gate;
        this.up = new Direction(client, server);
        this.down = new Direction(server, client);
    }

    /** Connects to {@code target}, and returns when the connection has ended. An interrupt resets both sockets. */
    void run(InetSocketAddress target) {
        try (threads) {
            // From here on, each close is a reset.
            for (Socket socket : List.of(client, server)) {
                socket.setTcpNoDelay(true);
                socket.setSoLinger(true, 0);
            }
            sleepUntil(System.nanoTime() + 2 * oneWayNanos); // A connection costs a round trip, as in a network.
            server.connect(target, CONNECT_MILLIS);
            for (Direction direction : List.of(up, down)) {
                threads.execute(direction::read);
                threads.execute(direction::deliver);
            }
        } catch (IOException | InterruptedException | RejectedExecutionException e) {
            // The client sees a reset.
        }
        close(up.isComplete && down.isComplete);
    }

    /** Closes both sockets, with a reset unless {@code isComplete}, and ends all threads of this connection. */
    private void close(boolean isComplete) {
        for (Socket socket : List.of(client, server)) {
            try (socket) {
                if (isComplete) {
                    socket.setSoLinger(false, 0);
                }
            } catch (IOException e) {
                // The socket is closed already.
            }
        }
        threads.shutdownNow();
    }

    private static void sleepUntil(long dueNanos) throws InterruptedException {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** Bytes that wait for their time, with their overhead. */
    long heldBytes() {
        return up.heldBytes() + down.heldBytes();
    }

    private interface Delivery {

        /** Returns whether more chunks follow. */
        boolean run() throws InterruptedException, IOException;
    }

    private record Chunk(long dueNanos, int heldBytes, Delivery delivery) {}

    private final class Direction {

        private final Socket source;
        private final Socket sink;
        private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();

        /** Limits the bytes in the queue. At the limit the reader waits, and TCP stops the sender. */
        private final Semaphore free = new Semaphore(DIRECTION_BYTES);

        /** Whether the end of the stream was delivered. */
        private volatile boolean isComplete;

        Direction(Socket source, Socket sink) {
            this.source = source;
            this.sink = sink;
        }

        /** Reads until the stream ends. */
        void read() {
            byte[] buffer = new byte[SMALLEST_BUFFER_BYTES];
            try {
                var input = source.getInputStream();
                for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                    byte[] bytes = Arrays.copyOf(buffer, length);
                    free.acquire(length + CHUNK_OVERHEAD_BYTES);
                    add(length + CHUNK_OVERHEAD_BYTES, () -> write(bytes));
                    if (length == buffer.length && length < LARGEST_BUFFER_BYTES) {
                        buffer = new byte[2 * length];
                    }
                }
                add(0, this::end);
            } catch (IOException e) {
                add(0, () -> {
                    throw e;
                });
            } catch (InterruptedException e) {
                // The connection is reset.
            }
        }

        private void add(int heldBytes, Delivery delivery) {
            queue.add(new Chunk(System.nanoTime() + oneWayNanos, heldBytes, delivery));
        }

        private boolean write(byte[] bytes) throws InterruptedException, IOException {
            try {
                sink.getOutputStream().write(bytes);
                return true;
            } catch (IOException e) {
                sleepUntil(System.nanoTime() + oneWayNanos); // The source learns of the reset after the usual delay.
                throw e;
            }
        }

        private boolean end() throws IOException {
            sink.shutdownOutput();
            isComplete = true;
            return false;
        }

        /** Delivers until the last chunk. */
        void deliver() {
            try {
                boolean continues = true;
                while (continues) {
                    Chunk chunk = queue.take();
                    sleepUntil(chunk.dueNanos);
                    gate.get().await();
                    continues = chunk.delivery.run();
                    free.release(chunk.heldBytes);
                }
            } catch (IOException e) {
                close(false);
            } catch (InterruptedException e) {
                // The connection is reset.
            }
        }

        long heldBytes() {
            return (long) DIRECTION_BYTES - free.availablePermits();
        }
    }
}
