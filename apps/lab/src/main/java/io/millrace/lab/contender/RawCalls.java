// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callers that share one {@link RawSocket}, for comparison. If no other caller is writing, a caller writes the commands of
 * all callers. One thread reads the replies and wakes the callers.
 */
public record RawCalls(Callers callers, int count) implements WarmContender {

    @Override
    public String name() {
        return "raw-socket";
    }

    @Override
    public String variant() {
        return callers.word();
    }

    @Override
    public String note() {
        return callers.of(count) + ", for comparison: the callers share one blocking socket, no library; JVM warm";
    }

    @Override
    public Rounds open(Task task) throws IOException {
        return new CallRounds(PairData.of(count), callers, task.operations(), new Shared(new RawSocket(task)));
    }

    /** A command that a caller waits for. */
    private static final class Call {

        private final Thread caller = Thread.currentThread();
        private volatile @Nullable String reply;
    }

    private static final class Shared implements CallRounds.Client {

        private final RawSocket socket;
        private final Queue<Call> owed = new ConcurrentLinkedQueue<>();
        private final ReentrantLock lock = new ReentrantLock();
        private final Thread reader;

        // Guarded by the lock.
        private RawSocket.Output filling = new RawSocket.Output();
        private boolean writing;

        /** Owned by the caller that writes. */
        private RawSocket.Output sending = new RawSocket.Output();

        private volatile boolean closed;

        /** Why the socket cannot be used any more; null as long as the socket works. */
        private volatile @Nullable Exception failure;

        private Shared(RawSocket socket) {
            this.socket = socket;
            this.reader = Thread.ofPlatform().name("raw-socket-reader").start(this::read);
        }

        @Override
        public String set(String key, String value) {
            return call(output -> output.set(key, value));
        }

        @Override
        public String get(String key) {
            return call(output -> output.get(key));
        }

        private String call(Consumer<RawSocket.Output> encode) {
            var call = new Call();
            boolean writes;
            lock.lock();
            try {
                writes = !writing;
                encode.accept(filling);
                owed.add(call);
                writing = true;
            } finally {
                lock.unlock();
            }
            if (writes) {
                writeAll();
            }
            for (var reply = call.reply; ; reply = call.reply) {
                if (reply != null) {
                    return reply;
                }
                var cause = failure;
                if (cause != null) {
                    throw new IllegalStateException("the raw socket failed", cause);
                }
                LockSupport.park(this);
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // so that other callers can add their commands before the write
        private void writeAll() {
            Thread.yield();
            while (true) {
                lock.lock();
                try {
                    if (filling.length() == 0) {
                        writing = false;
                        return;
                    }
                    var full = filling;
                    filling = sending;
                    sending = full;
                } finally {
                    lock.unlock();
                }
                try {
                    socket.write(sending);
                } catch (RuntimeException e) {
                    fail(e);
                    throw e;
                }
            }
        }

        /** Ends the waits of all callers. */
        private void fail(Exception cause) {
            failure = cause;
            owed.forEach(call -> LockSupport.unpark(call.caller));
        }

        /** Wakes the callers after all replies of a read were parsed. */
        private void read() {
            var answered = new ArrayDeque<Call>();
            try {
                while (true) {
                    socket.read();
                    for (var reply = socket.next(); reply != null; reply = socket.next()) {
                        var call = owed.remove();
                        call.reply = reply;
                        answered.add(call);
                    }
                    for (var call = answered.poll(); call != null; call = answered.poll()) {
                        LockSupport.unpark(call.caller);
                    }
                }
            } catch (IOException | RuntimeException e) {
                if (!closed) {
                    fail(e);
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            socket.close();
            try {
                reader.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
