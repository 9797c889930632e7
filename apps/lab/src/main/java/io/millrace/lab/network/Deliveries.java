// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.network.Cargo.Bytes;
import io.millrace.lab.network.Cargo.Signal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The delivering thread: it sleeps until something is due, writes it as far as its destination takes it, and leaves the
 * rest to be written when the destination takes more. It never waits for a destination. The design is told in
 * {@link LatencyProxy}.
 */
final class Deliveries {

    /** Small pieces that are due together go out in one write, of at most this much. */
    private static final int WRITE_BYTES = 256 * 1024;

    /**
     * Taken out of the line at once: enough to gather small pieces, few enough not to keep the lock from the reading
     * thread.
     */
    private static final int TAKEN_AT_ONCE = 256;

    private final DelayLine<Parcel> line;
    private final Consumer<Throwable> whenFailed;
    private final Thread thread;

    /** Put in by the reading thread, taken out by the delivering thread. */
    private final Queue<Lane> writable = new ConcurrentLinkedQueue<>();

    private volatile boolean stopped;

    // Owned by the delivering thread.
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(WRITE_BYTES);
    private final List<Parcel> due = new ArrayList<>(TAKEN_AT_ONCE);
    private final Set<Lane> touched = new LinkedHashSet<>();

    Deliveries(DelayLine<Parcel> line, String threadName, Consumer<Throwable> whenFailed) {
        this.line = line;
        this.whenFailed = whenFailed;
        this.thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::run);
    }

    /** The thread, not started yet. */
    Thread thread() {
        return thread;
    }

    /** Any thread: something travels where nothing did. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** The reading thread: the destination of {@code lane} takes more. */
    void writable(Lane lane) {
        writable.add(lane);
        wake();
    }

    /** Any thread: ends the thread. */
    void stop() {
        stopped = true;
        wake();
    }

    private void run() {
        TimerSlack.makeLeast();
        try {
            while (!stopped) {
                deliver();
                long nanos = line.nanosToNext();
                // Waiting for the lock in there may have used up the permit of a wake-up: so look, and take no lock any
                // more.
                if (stopped || !writable.isEmpty()) {
                    continue;
                }
                if (nanos == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else if (nanos > 0) {
                    LockSupport.parkNanos(this, nanos);
                }
            }
        } catch (RuntimeException | Error e) {
            whenFailed.accept(e);
        }
    }

    private void deliver() {
        for (var lane = writable.poll(); lane != null; lane = writable.poll()) {
            lane.blocked = false;
            touched.add(lane);
        }
        line.takeDue(due, TAKEN_AT_ONCE);
        due.forEach(parcel -> arrive(parcel.lane(), parcel.cargo()));
        due.clear();
        touched.forEach(this::flush);
        touched.clear();
    }

    private void arrive(Lane lane, Cargo cargo) {
        if (cargo != Signal.RESET && lane.ended) {
            release(lane, cargo);
            return;
        }
        switch (cargo) {
            case Bytes data -> append(lane, data);
            case Signal signal -> {
                switch (signal) {
                    case END -> append(lane, signal);
                    case OPEN -> {
                        release(lane, signal);
                        lane.link.reader.connect(lane.link);
                    }
                    case OPENED -> {
                        release(lane, signal);
                        lane.link.reader.readAgain(lane.to);
                    }
                    case RESET -> {
                        release(lane, signal);
                        abandon(lane.link);
                    }
                }
            }
        }
    }

    private void append(Lane lane, Cargo cargo) {
        lane.backlog.add(cargo);
        touched.add(lane);
    }

    /** What TCP does too: data that are on their way when a connection is reset are lost. */
    private void abandon(Link link) {
        drop(link.up);
        drop(link.down);
        link.reader.reset(link);
    }

    private void drop(Lane lane) {
        lane.ended = true;
        lane.backlog.forEach(cargo -> release(lane, cargo));
        lane.backlog.clear();
    }

    private void release(Lane lane, Cargo cargo) {
        line.release(lane.account, cargo.length());
    }

    private void flush(Lane lane) {
        try {
            while (!lane.blocked && !lane.backlog.isEmpty()) {
                if (lane.backlog.element() == Signal.END) {
                    finish(lane);
                } else {
                    write(lane);
                }
            }
        } catch (IOException e) {
            // The destination has gone. Its peer hears of it as late as of anything else from there.
            drop(lane);
            var back = lane.link.reverse(lane);
            line.offer(back.account, new Parcel(back, Signal.RESET), 0);
        }
    }

    private void finish(Lane lane) throws IOException {
        lane.to.channel.shutdownOutput();
        drop(lane);
        if (lane.link.reverse(lane).ended) {
            lane.link.reader.close(lane.link);
        }
    }

    private void write(Lane lane) throws IOException {
        gather(lane);
        remove(lane, lane.to.channel.write(buffer));
        if (buffer.hasRemaining()) {
            lane.blocked = true;
            lane.link.reader.tellWhenWritable(lane.to);
        }
    }

    private void gather(Lane lane) {
        buffer.clear();
        int from = lane.written;
        for (var cargo : lane.backlog) {
            if (!(cargo instanceof Bytes data) || !buffer.hasRemaining()) {
                break;
            }
            buffer.put(data.array, from, Math.min(data.length() - from, buffer.remaining()));
            from = 0;
        }
        buffer.flip();
    }

    private void remove(Lane lane, int count) {
        int left = count + lane.written;
        while (left > 0 && left >= lane.backlog.element().length()) {
            left -= lane.backlog.element().length();
            release(lane, lane.backlog.remove());
        }
        lane.written = left;
    }
}
