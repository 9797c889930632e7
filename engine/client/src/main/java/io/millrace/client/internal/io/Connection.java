// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import io.millrace.client.ReplyLimits;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.Transport;
import io.millrace.client.internal.thread.ClientThreads;
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
 * A transport after the handshake, and its threads. Every connection has a reader thread. A connection with an {@link
 * Outbox} also has a writer thread.
 *
 * <pre>
 *   owner     -> Outbox -> writer thread -> transport -> Redis
 *   ReplySink <- RespReader <- reader thread <- transport <-
 * </pre>
 *
 * <p>DESIGN. The reader only reads and never waits for a writer. So there is no deadlock with a server that stops
 * reading until its replies are read. The n-th reply belongs to the n-th command; replies have no other identification.
 * RESP3 pushes are not replies, and this class passes them to the sink separately.
 *
 * <p>A connection ends because of an error of a thread, malformed RESP, a reply without a command, or a call of {@link
 * #end}. If there are several causes, the first cause counts. The transport is then closed, which stops the threads.
 * The last thread to stop informs the sink; no reply can arrive after that.
 */
public final class Connection {

    private static final int READ_BYTES = 64 * 1024;

    /**
     * Time for which the reader sleeps so that replies gather. If the reader is blocked in a read, each write of the
     * server must wake the reader. The wake-up costs the server processor time, once for every 16 KiB of commands. So
     * while many commands are on the wire, the reader sleeps before the next read. Measured with a million SETs: the
     * server uses 5 % less processor time with a sleep of 0.5 ms or 1 ms, and 4 % less with a sleep of 0.2 ms.
     */
    private static final long GATHER_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /**
     * The reader sleeps only if the last read returned fewer bytes than this. If replies arrive in larger amounts, the
     * reader reads without sleeping.
     */
    private static final int GATHER_BELOW_BYTES = READ_BYTES / 4;

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** Creates threads that are not yet started. Tests replace {@link ClientThreads#platform}. */
    interface ThreadFactory {

        Thread platform(String name, Runnable work);
    }

    private final Transport transport;
    private final ReplySink sink;
    private final LongSupplier clock;
    private final int number = NUMBERS.incrementAndGet();
    private final AtomicReference<@Nullable String> cause = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();
    private final CountDownLatch left = new CountDownLatch(1);

    /** The outbox of the writer thread; set before the threads start, null if there is no writer. */
    private @Nullable Outbox outbox;

    private final ThreadFactory threads;
    private final Thread reader;
    private final ReadingRole reading;

    // Owned by the holder of the reading role.
    private final RespReader replies;
    private final byte[] buffer = new byte[READ_BYTES];

    /**
     * Whether the replies in the bytes that were read are not all delivered. This is true during a delivery and after a
     * failed delivery. After a failed delivery, replies no longer match commands.
     */
    private boolean undelivered;

    /** Time of the last read that returned bytes; written by the holder of the reading role. */
    private volatile long lastReadNanos;

    public Connection(Transport transport, ReplySink sink, ReplyLimits limits, LongSupplier clock) {
        this(transport, sink, limits, clock, ClientThreads::platform);
    }

    /** Creates a connection whose threads come from {@code threads}. For tests. */
    Connection(Transport transport, ReplySink sink, ReplyLimits limits, LongSupplier clock, ThreadFactory threads) {
        this.threads = threads;
        this.reader = threads.platform("millrace-reader-" + number, this::read);
        this.reading = new ReadingRole(reader);
        this.transport = transport;
        this.sink = sink;
        this.replies = ReplyReaders.within(limits);
        this.clock = clock;
        this.lastReadNanos = clock.getAsLong();
    }

    /** Starts the reader. The sink is called from now on. */
    public void startReader() {
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

    /**
     * Starts the reader, and a writer for {@code bytes}. The sink is called from now on. If a thread cannot be started,
     * the connection ends.
     */
    public void start(Outbox bytes) {
        outbox = bytes;
        running.set(2);
        int missing = 2;
        try {
            reader.start();
            missing = 1;
            threads.platform("millrace-writer-" + number, () -> write(bytes)).start();
            missing = 0;
        } finally {
            for (int i = 0; i < missing; i++) {
                leave();
            }
        }
    }

    public ReadingRole reading() {
        return reading;
    }

    public boolean isOpen() {
        return cause.get() == null;
    }

    public long lastReadNanos() {
        return lastReadNanos;
    }

    /** Ends the connection unless it has already ended. Called by any thread; does not wait. */
    public void end(String why) {
        cause.compareAndSet(null, why);
        // Every call of end() performs these steps, because the first call may have failed before it finished them, by
        // a lack of stack or memory.
        if (outbox != null) {
            outbox.close();
        }
        transport.close();
        reading.giveToReaderIfFree();
    }

    /** Returns why the connection ended. */
    public String cause() {
        return Objects.requireNonNull(cause.get(), "cause() must not be called before the connection has ended");
    }

    /**
     * Waits until the threads have stopped and the sink was informed. An interrupt does not end the wait. The wait is
     * short, because the threads stop right after the end of the connection.
     */
    public void awaitEnd() {
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
            for (reading.await(); isOpen() && !undelivered; reading.await()) {
                readOnce();
                if (reading.hasLoneCaller()) {
                    yieldReading();
                }
            }
        } finally {
            leave();
        }
    }

    /**
     * Reads once: waits for bytes, and delivers the replies in these bytes. Called by the holder of the reading role.
     */
    public void readOnce() {
        assert reading.isHeldByCurrentThread() : "a thread read from the connection without holding the reading role";
        try {
            int count = transport.read(buffer);
            if (count < 0) {
                end("the server closed the connection");
            } else if (count > 0 && isOpen()) {
                lastReadNanos = clock.getAsLong();
                undelivered = true;
                replies.feed(buffer, 0, count);
                deliver();
                boolean gather = sink.batchEnd();
                undelivered = false;
                if (gather && count < GATHER_BELOW_BYTES && transport.readsEverythingAvailable()) {
                    LockSupport.parkNanos(this, GATHER_NANOS);
                }
            }
        } catch (MalformedReplyException e) {
            end(Connector.describe(e));
        } catch (Throwable e) {
            end("reading failed: " + Connector.describe(e));
        }
    }

    /**
     * Releases the reading role. If there is a lone caller and no reply is expected now, the lone caller may take the
     * role. Otherwise the reader gets the role.
     */
    public void yieldReading() {
        if (undelivered || !reading.hasLoneCaller()) {
            reading.giveToReader();
            return;
        }
        reading.free();
        if (sink.expectsReplies() || !isOpen()) {
            reading.giveToReaderIfFree();
        } else {
            sink.readingLeftToCaller();
        }
    }

    /** Wakes {@code caller} if it is reading, so that it checks whether another thread has decided its outcome. */
    public void wakeReadingCaller(Thread caller) {
        if (reading.isHeldBy(caller)) {
            transport.wakeReader();
        }
    }

    private void deliver() {
        while (nextReply()) {
            Reply reply = replies.reply();
            if (reply instanceof Reply.Push push) {
                sink.push(push);
            } else if (!sink.reply(reply)) {
                end("a reply arrived that no command was waiting for");
                return;
            }
        }
    }

    private boolean nextReply() {
        try {
            return replies.next();
        } catch (Throwable e) {
            if (!replies.isInPush()) {
                sink.unreadable(replies.completeElements());
            }
            throw e;
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
        end("a thread of the connection stopped");
        if (running.decrementAndGet() == 0) {
            try {
                sink.ended(cause());
            } finally {
                left.countDown();
            }
        }
    }
}
