// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import io.millrace.lab.network.Cargo.Signal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The reading thread: it accepts, connects, reads whatever is ready into the delay line, and closes. It waits in its
 * selector alone. What others want of it they put into {@link #orders} and wake it. The design is told in
 * {@link LatencyProxy}.
 */
final class Arrivals implements Runnable {

    /**
     * A read takes at most this much: as much as a socket of loopback has ready under load, few enough to be fair to
     * the others.
     */
    private static final int READ_BYTES = 256 * 1024;

    /** When a connection cannot be accepted, such as for want of file descriptors, how long until the next attempt. */
    private static final long ACCEPT_AGAIN_MILLIS = 50;

    private final DelayLine<Parcel> line;
    private final Deliveries deliveries;
    private final InetSocketAddress destination;
    private final Consumer<Throwable> whenFailed;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final SelectionKey door;

    /** Put in by any thread, taken out by the reading thread. */
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();

    /** Changed by the reading thread. */
    private final AtomicInteger open = new AtomicInteger();

    private volatile boolean stopped;

    // Owned by the reading thread.
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);

    /** Takes {@code listener} over, and closes it in the end. */
    Arrivals(
            DelayLine<Parcel> line,
            Deliveries deliveries,
            ServerSocketChannel listener,
            InetSocketAddress destination,
            Consumer<Throwable> whenFailed)
            throws IOException {
        this.line = line;
        this.deliveries = deliveries;
        this.listener = listener;
        this.destination = destination;
        this.whenFailed = whenFailed;
        this.selector = listener.provider().openSelector();
        listener.configureBlocking(false);
        this.door = listener.register(selector, OP_ACCEPT);
    }

    /** Any thread: connections that are open at the moment. */
    int open() {
        return open.get();
    }

    /** Any thread: ends {@link #run}. */
    void stop() {
        stopped = true;
        selector.wakeup();
    }

    /** Any thread: the client's first packet has arrived at the target. */
    void connect(Link link) {
        order(() -> startConnecting(link));
    }

    /** Any thread: there is room for what {@code side} sends. */
    void readAgain(Side side) {
        order(() -> side.want(OP_READ));
    }

    /** Any thread: has the delivering thread told when {@code side} takes more. */
    void tellWhenWritable(Side side) {
        order(() -> side.want(OP_WRITE));
    }

    /** Any thread: everything has been delivered both ways. */
    void close(Link link) {
        order(() -> end(link, Side::close));
    }

    /** Any thread: the connection has failed. */
    void reset(Link link) {
        order(() -> end(link, Side::reset));
    }

    private void order(Runnable order) {
        orders.add(order);
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                boolean shut = door.interestOps() == 0;
                selector.select(this::handle, shut ? ACCEPT_AGAIN_MILLIS : 0);
                for (var order = orders.poll(); order != null; order = orders.poll()) {
                    order.run();
                }
                if (shut) {
                    door.interestOps(OP_ACCEPT);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            whenFailed.accept(e);
        } finally {
            closeAll();
        }
    }

    private void handle(SelectionKey key) {
        if (key.equals(door)) {
            accept();
            return;
        }
        var side = (Side) key.attachment();
        int ready = key.isValid() ? key.readyOps() : 0;
        if ((ready & OP_CONNECT) != 0) {
            finishConnecting(side.link);
        }
        if ((ready & OP_WRITE) != 0) {
            side.leave(OP_WRITE);
            deliveries.writable(side.link.into(side));
        }
        if ((ready & OP_READ) != 0) {
            read(side);
        }
    }

    private void accept() {
        try {
            for (var client = listener.accept(); client != null; client = listener.accept()) {
                welcome(client);
            }
        } catch (IOException e) {
            door.interestOps(0); // it would be ready again at once, and for ever
        }
    }

    private void welcome(SocketChannel client) throws IOException {
        SocketChannel target;
        try {
            target = SocketChannel.open();
        } catch (IOException e) {
            client.close();
            throw e;
        }
        try {
            var link = new Link(client, target, selector, this);
            open.incrementAndGet();
            send(link.up, Signal.OPEN);
        } catch (IOException e) {
            client.close(); // it has gone already
            target.close();
        }
    }

    private void startConnecting(Link link) {
        if (!link.target.channel.isOpen()) {
            return;
        }
        try {
            if (link.target.channel.connect(destination)) {
                connected(link);
            } else {
                link.target.want(OP_CONNECT);
            }
        } catch (IOException e) {
            send(link.down, Signal.RESET);
        }
    }

    private void finishConnecting(Link link) {
        link.target.leave(OP_CONNECT);
        try {
            link.target.channel.finishConnect();
            connected(link);
        } catch (IOException e) {
            send(link.down, Signal.RESET);
        }
    }

    private void connected(Link link) {
        link.target.want(OP_READ);
        send(link.down, Signal.OPENED);
    }

    private void read(Side side) {
        var lane = side.link.outOf(side);
        int room = line.room(lane.account, READ_BYTES);
        if (room == 0) {
            side.leave(OP_READ);
            return;
        }
        try {
            buffer.clear().limit(room);
            int count = side.channel.read(buffer);
            if (count < 0) {
                side.leave(OP_READ);
                send(lane, Signal.END);
            } else if (count > 0) {
                var bytes = new byte[count];
                buffer.flip().get(bytes);
                send(lane, new Cargo.Bytes(bytes));
            }
        } catch (IOException e) {
            side.leave(OP_READ | OP_WRITE);
            send(lane, Signal.RESET);
        }
    }

    private void send(Lane lane, Cargo cargo) {
        if (line.offer(lane.account, new Parcel(lane, cargo), cargo.length())) {
            deliveries.wake();
        }
    }

    private void end(Link link, Closing closing) {
        if (link.client.channel.isOpen()) {
            open.decrementAndGet();
        }
        line.forget(link.up.account);
        line.forget(link.down.account);
        try {
            closing.close(link.client);
        } catch (IOException e) {
            // Closed all the same: there is nothing to write any more that could be lost.
        }
        try {
            closing.close(link.target);
        } catch (IOException e) {
            // As above.
        }
    }

    /** A way of closing a side. */
    @FunctionalInterface
    private interface Closing {
        void close(Side side) throws IOException;
    }

    private void closeAll() {
        try (selector;
                listener) {
            selector.keys().stream()
                    .map(SelectionKey::attachment)
                    .filter(Side.class::isInstance)
                    .map(side -> ((Side) side).link)
                    .distinct()
                    .toList()
                    .forEach(link -> end(link, Side::close));
        } catch (IOException e) {
            whenFailed.accept(e);
        }
    }
}
