// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.MalformedReplyException;
import io.millrace.resp.Reply;
import io.millrace.resp.RespReader;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A transport with its threads, after the handshake: a reader always, a writer where an {@link Outbox} feeds it.
 *
 * <pre>
 *   owner     -> Outbox -> writer thread -> transport -> Redis
 *   ReplySink <- RespReader <- reader thread <- transport <-
 * </pre>
 *
 * <p>DESIGN. The reader only reads, and waits for nobody who writes, so a server that stops reading until its own replies are
 * read cannot lock us up. The n-th reply belongs to the n-th command; nothing else matches them.
 * Pushes of RESP3 answer no command and are split off here.
 *
 * <p>A connection ends once, for the first cause: an error of either thread, bytes that are no RESP, a surplus reply, or
 * {@link #end}. Closing the transport then stops the threads. The last of them to leave tells the sink, when no reply can come
 * any more.
 */
final class Connection {

    private static final int READ_BYTES = 64 * 1024;

    /**
     * How long replies may gather. A server that writes to a socket whose reader sleeps in it pays for waking that reader,
     * once for every 16 KiB of commands; so while there is plenty on the wire the reader sleeps elsewhere. Measured with a
     * million SETs: 5 % less processor time for the server with 0.5 ms as with 1 ms, 4 % with 0.2 ms.
     */
    private static final long GATHER_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** Replies that come in larger portions than this are not short, and are read as fast as they come. */
    private static final int GATHER_BELOW_BYTES = READ_BYTES / 4;

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Transport transport;
    private final ReplySink sink;
    private final LongSupplier clock;
    private final int number = NUMBERS.incrementAndGet();
    private final AtomicReference<@Nullable String> cause = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();
    private final CountDownLatch left = new CountDownLatch(1);

    /** Of which a writer thread sends; set before the threads start, null if there is none. */
    private @Nullable Outbox outbox;

    private final Thread reader =
            Thread.ofPlatform().name("millrace-reader-" + number).daemon().unstarted(this::read);
    private final ReadingRole reading = new ReadingRole(reader);

    // Owned by whoever has the reading role.
    private final RespReader replies = new RespReader();
    private final byte[] buffer = new byte[READ_BYTES];

    /** Whether some of what was read has not been delivered: between the two, or since that failed. Then nothing fits any more. */
    private boolean halfRead;

    /** When bytes were last read; written by whoever has the reading role. */
    private volatile long lastReadNanos;

    Connection(Transport transport, ReplySink sink, LongSupplier clock) {
        this.transport = transport;
        this.sink = sink;
        this.clock = clock;
        this.lastReadNanos = clock.getAsLong();
    }

    /** Starts the reader. The sink is called from now on. */
    void startReader() {
        running.set(1);
        boolean started = false;
        try {
            reader.start();
            started = true;
        } finally {
            if (!started) {
                leave();
            }
        }
    }

    /** Starts the reader and a writer for {@code bytes}. The sink is called from now on. */
    void start(Outbox bytes) {
        outbox = bytes;
        running.set(2);
        reader.start();
        Thread.ofPlatform().name("millrace-writer-" + number).daemon().start(() -> write(bytes));
    }

    ReadingRole reading() {
        return reading;
    }

    boolean isOpen() {
        return cause.get() == null;
    }

    long lastReadNanos() {
        return lastReadNanos;
    }

    /** Ends the connection, unless it has ended. Returns at once; from any thread. */
    void end(String why) {
        cause.compareAndSet(null, why);
        // Again each time: whoever came first may have had no stack or memory left to finish this.
        if (outbox != null) {
            outbox.close();
        }
        transport.close();
        reading.callReader();
    }

    /** Why it has ended. */
    String cause() {
        return Objects.requireNonNull(cause.get(), "the connection has not ended");
    }

    /** Waits until the threads have left and the sink was told. Uninterruptibly: they leave at once after the end. */
    void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                left.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // Reading.

    private void read() {
        try {
            for (reading.await(); isOpen() && !halfRead; reading.await()) {
                readOnce();
                if (reading.hasLoneCaller()) {
                    leaveReading();
                }
            }
        } finally {
            leave();
        }
    }

    /** With the reading role: waits for bytes, once, and delivers what came. */
    void readOnce() {
        assert reading.isMine() : "reading without the role";
        try {
            int count = transport.read(buffer);
            if (count < 0) {
                end("the server closed the connection");
            } else if (count > 0 && isOpen()) {
                lastReadNanos = clock.getAsLong();
                halfRead = true;
                replies.feed(buffer, 0, count);
                deliver();
                boolean gather = sink.batchEnd();
                halfRead = false;
                if (gather && count < GATHER_BELOW_BYTES && transport.readsAllThereIs()) {
                    LockSupport.parkNanos(this, GATHER_NANOS);
                }
            }
        } catch (MalformedReplyException e) {
            end(Connector.describe(e));
        } catch (Throwable e) {
            end("reading failed: " + Connector.describe(e));
        }
    }

    /** Leaves the reading role: to the lone caller, if there is one and nothing is expected now. */
    void leaveReading() {
        if (halfRead || !reading.hasLoneCaller()) {
            reading.handOver();
            return;
        }
        reading.leave();
        if (sink.expectsReplies() || !isOpen()) {
            reading.callReader();
        } else {
            sink.leftToCaller();
        }
    }

    /** Has a lone caller look whether what it waits for has been decided by somebody else. */
    void wakeReading(Thread caller) {
        if (reading.isHeldBy(caller)) {
            transport.wakeReader();
        }
    }

    private void deliver() {
        while (replies.next()) {
            Reply reply = replies.reply();
            if (reply instanceof Reply.Push push) {
                sink.push(push);
            } else if (!sink.reply(reply)) {
                end("a reply came that no command asked for");
                return;
            }
        }
    }

    private void write(Outbox bytes) {
        try {
            bytes.sendAll(transport);
        } catch (Throwable e) {
            end("writing failed: " + Connector.describe(e));
        } finally {
            leave();
        }
    }

    private void leave() {
        end("a thread of the connection left");
        if (running.decrementAndGet() == 0) {
            try {
                sink.ended(cause());
            } finally {
                left.countDown();
            }
        }
    }
}
