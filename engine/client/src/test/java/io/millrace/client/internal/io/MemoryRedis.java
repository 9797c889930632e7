// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.client.internal.connect.Transport;
import io.millrace.resp.Reply;
import io.millrace.resp.RespLimits;
import io.millrace.resp.RespReader;
import io.millrace.testkit.interleave.Schedule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server and the transport to this server, in memory, for schedules: a schedule must not use sockets. The reply to a
 * command is its last argument. The reply to {@code AUTH} is {@code OK}.
 *
 * <p>As with an operating system, a write may accept fewer bytes than it was given, and a read may return a part of a
 * reply.
 */
public final class MemoryRedis implements Transport {

    private final Schedule schedule;

    private final boolean nonBlocking;

    /** Maximum number of bytes that the transport holds for the server. */
    private final int capacity;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final ByteArrayOutputStream toServer = new ByteArrayOutputStream();
    private final Deque<byte[]> toClient = new ArrayDeque<>();
    private boolean woken;
    private boolean closed;

    // Owned by the thread of the server, until it has ended.
    private final List<String> passwords = new ArrayList<>();
    private int executed;

    private MemoryRedis(Schedule schedule, boolean nonBlocking, int capacity, int commands) {
        this.schedule = schedule;
        this.nonBlocking = nonBlocking;
        this.capacity = capacity;
        schedule.thread("server", () -> serve(commands));
    }

    /** Starts a server with a non-blocking transport. The thread of the server ends when the transport is closed. */
    public static MemoryRedis nonBlocking(Schedule schedule, int capacity) {
        return new MemoryRedis(schedule, true, capacity, Integer.MAX_VALUE);
    }

    /** Like {@link #nonBlocking}, but the server closes the connection after it has executed {@code commands}. */
    public static MemoryRedis closingAfter(int commands, Schedule schedule, int capacity) {
        return new MemoryRedis(schedule, true, capacity, commands);
    }

    /** Like {@link #closingAfter}, but the transport is blocking. */
    public static MemoryRedis blockingClosingAfter(int commands, Schedule schedule, int capacity) {
        return new MemoryRedis(schedule, false, capacity, commands);
    }

    /** After the end of the schedule's threads: number of executed commands, without {@code AUTH}. */
    public int executed() {
        return executed;
    }

    /** After the end of the schedule's threads: the passwords of the logins, oldest first. */
    public List<String> passwords() {
        return passwords;
    }

    // The server.

    private void serve(int commands) throws InterruptedException {
        RespReader requests = new RespReader(RespLimits.DEFAULT);
        for (byte[] bytes = awaitRequest(); bytes != null; bytes = awaitRequest()) {
            requests.feed(bytes, 0, bytes.length);
            while (requests.next()) {
                if (executed == commands) {
                    close();
                    return;
                }
                send(execute((Reply.ArrayReply) requests.reply()));
            }
        }
    }

    private byte @Nullable [] awaitRequest() throws InterruptedException {
        lock.lock();
        try {
            while (toServer.size() == 0 && !closed) {
                changed.await();
            }
            byte[] bytes = toServer.toByteArray();
            toServer.reset();
            changed.signalAll();
            return closed ? null : bytes;
        } finally {
            lock.unlock();
        }
    }

    private byte[] execute(Reply.ArrayReply request) {
        List<String> words = request.items().stream()
                .map(element -> new String(((Reply.BulkString) element).bytes(), UTF_8))
                .toList();
        if (words.getFirst().equals("AUTH")) {
            passwords.add(words.getLast());
            return "+OK\r\n".getBytes(UTF_8);
        }
        executed++;
        return ("$" + words.getLast().length() + "\r\n" + words.getLast() + "\r\n").getBytes(UTF_8);
    }

    /** Sends a reply, sometimes in two parts. */
    private void send(byte[] reply) {
        int first = schedule.random().nextInt(4) == 0 ? schedule.random().nextInt(1, reply.length) : reply.length;
        offer(Arrays.copyOfRange(reply, 0, first));
        if (first < reply.length) {
            offer(Arrays.copyOfRange(reply, first, reply.length));
        }
    }

    private void offer(byte[] bytes) {
        lock.lock();
        try {
            toClient.add(bytes);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // The transport.

    @Override
    public int read(byte[] buffer) throws IOException {
        lock.lock();
        try {
            while (toClient.isEmpty()
                    && !closed
                    && !woken
                    && !Thread.currentThread().isInterrupted()) {
                changed.await();
            }
            woken = false;
            byte[] bytes = toClient.poll();
            if (bytes == null) {
                return closed ? -1 : 0;
            }
            System.arraycopy(bytes, 0, buffer, 0, bytes.length);
            return bytes.length;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int readWithin(byte[] buffer, int millis) {
        throw new UnsupportedOperationException("only a handshake reads with a time limit");
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        if (!nonBlocking) {
            awaitWritable();
        }
        lock.lock();
        try {
            if (closed) {
                throw new IOException("the transport is closed");
            }
            int accepted = Math.min(length, capacity - toServer.size());
            toServer.write(bytes, offset, accepted);
            changed.signalAll();
            return accepted;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitWritable() {
        lock.lock();
        try {
            while (toServer.size() == capacity && !closed) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeReader() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isNonBlocking() {
        return nonBlocking;
    }

    @Override
    public boolean readsEverythingAvailable() {
        return true;
    }

    @Override
    public boolean failedWriteSendsNothing() {
        return true;
    }
}
