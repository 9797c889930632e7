// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.pool;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.internal.shared.Failures;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Dedicated connections, up to a limit. A connection is opened when a borrower needs it and none is idle. Each
 * connection is lent to one borrower at a time. Waiting borrowers receive connections in the order in which they began
 * to wait.
 *
 * <pre>
 *   borrower -> [permits] -> idle, else a ConnectAttempt -> BorrowRecord -> BorrowedConnection ...
 *                ... BorrowedConnection.close -> clean: idle, else closed -> [permits]
 *   timekeeper -> idle for too long: closed by a virtual thread, which has a permit
 * </pre>
 *
 * <p>DESIGN. Any thread may borrow and return connections. {@link #permits} limits the number of connections. A permit
 * is released after its connection is idle or closed, so there are never more connections than permits. No lock guards
 * the other fields. A thread that adds to one of the collections reads {@link #closed} afterwards. The thread that
 * closes the pool sets {@link #closed} first and empties the collections afterwards. So no connection outlives the
 * pool.
 */
public final class Pool implements Timekeeper.Ticking {

    /**
     * Number of permits that are released when the pool is closed, so that each waiting thread gets a permit. The sum
     * of this number and the permits of the pool stays far below the maximum of a semaphore.
     */
    private static final int ALL_WAITERS = 1 << 30;

    private final int limit;
    private final LongFunction<ConnectAttempt> opener;
    private final ClientOptions options;
    private final LongSupplier clock;
    private final Timekeeper timekeeper;
    private final long maxIdleNanos;
    private final Consumer<SharedConnection> retire;
    private final long refusalNanos;
    private final Semaphore permits;
    private final ConcurrentLinkedDeque<IdleConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<ConnectAttempt> opening = ConcurrentHashMap.newKeySet();
    private final Set<BorrowRecord> borrowRecords = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * The last refused login. Written by a thread whose login was refused; read by the threads that open connections.
     */
    private volatile @Nullable RefusedLogin refusal;

    /** A login with a user or password that the server did not accept. No other login is attempted for some time. */
    private record RefusedLogin(ConnectException failure, long at) {}

    /** A connection that was returned at the time {@code since}. */
    private record IdleConnection(SharedConnection connection, long since) {}

    /** A connection that is being opened. */
    public interface ConnectAttempt {

        /**
         * Waits for the connection. Must be called only once.
         *
         * @throws ConnectException if connecting fails
         */
        SharedConnection open();

        /** Makes {@link #open} fail. Called by any thread. */
        void cancel();
    }

    /**
     * Creates a pool of {@link io.millrace.client.PoolOptions#size} permits.
     *
     * @param timekeeper closes connections that are idle for too long
     * @param opener creates an attempt to connect; its argument is the maximum time in nanoseconds
     * @param retire closes a connection permanently
     */
    public Pool(
            ClientOptions options,
            Timekeeper timekeeper,
            LongFunction<ConnectAttempt> opener,
            Consumer<SharedConnection> retire) {
        this.options = options;
        this.clock = timekeeper.clock();
        this.timekeeper = timekeeper;
        this.maxIdleNanos = options.pool().maxIdle().toNanos();
        this.opener = opener;
        this.retire = retire;
        this.limit = options.pool().size();
        this.refusalNanos = options.maxReconnectDelay().toNanos();
        this.permits = new Semaphore(limit, true);
        timekeeper.watch(this);
    }

    /**
     * Lends a connection. Waits until {@code deadline} at most if all connections are borrowed.
     *
     * @throws RefusedException if no connection becomes free in time
     * @throws ConnectException if a new connection cannot be opened
     * @throws ConnectionLostException if the client is closed
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public BorrowedConnection borrow(long deadline) {
        long startNanos = clock.getAsLong();
        try {
            if (!permits.tryAcquire(deadline - startNanos, TimeUnit.NANOSECONDS)) {
                throw exhaustedFailure(startNanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failures.interruptedBorrower(clock.getAsLong() - startNanos);
        }
        boolean lent = false;
        try {
            BorrowedConnection borrowedConnection = lend(takeOrOpen(deadline, startNanos), startNanos);
            lent = true;
            return borrowedConnection;
        } finally {
            if (!lent) {
                permits.release();
            }
        }
    }

    private SharedConnection takeOrOpen(long deadline, long startNanos) {
        boolean responsive = true;
        for (IdleConnection next = idle.pollLast(); next != null; next = idle.pollLast()) {
            SharedConnection candidate = next.connection;
            // After one connection without a reply, other silent connections are closed without a test: each test of a
            // lost connection would take its whole time limit.
            if (candidate.isOpen() && (responsive || !candidate.isSilent())) {
                responsive = candidate.isResponsive(deadline);
                if (responsive) {
                    return candidate;
                }
            }
            retire.accept(candidate);
            if (Thread.currentThread().isInterrupted()) {
                throw Failures.interruptedBorrower(clock.getAsLong() - startNanos);
            }
        }
        return open(deadline, startNanos);
    }

    // Called by the timekeeper.

    /**
     * Closes the oldest idle connection if it is idle for too long. The virtual thread that closes the connection has a
     * permit. If no permit is free, borrowers use all connections.
     */
    @Override
    public boolean tick(long now) {
        IdleConnection oldest = idle.peekFirst();
        if (isUnused(oldest, now) && permits.tryAcquire()) {
            boolean started = false;
            try {
                ClientThreads.startVirtual("millrace-pool-idle", () -> closeUnused(oldest));
                started = true;
            } finally {
                if (!started) {
                    permits.release();
                }
            }
        }
        return false;
    }

    private boolean isUnused(@Nullable IdleConnection candidate, long now) {
        return maxIdleNanos > 0 && candidate != null && now - candidate.since >= maxIdleNanos;
    }

    private void closeUnused(IdleConnection unused) {
        try {
            // A borrower may have taken the connection meanwhile.
            if (idle.remove(unused)) {
                retire.accept(unused.connection);
            }
        } finally {
            permits.release();
        }
    }

    @Override
    public long sleepNanos() {
        IdleConnection oldest = idle.peekFirst();
        return maxIdleNanos == 0 || oldest == null
                ? Long.MAX_VALUE
                : Math.max(Timekeeper.TICK_NANOS, maxIdleNanos - (clock.getAsLong() - oldest.since));
    }

    private SharedConnection open(long deadline, long startNanos) {
        RefusedLogin last = refusal;
        if (last != null && clock.getAsLong() - last.at < refusalNanos) {
            throw new ConnectException(
                    last.failure.reason(),
                    last.failure.getMessage() + " This login failed " + sinceMillis(last.at)
                            + " ms ago; the next login is attempted at the earliest "
                            + TimeUnit.NANOSECONDS.toMillis(refusalNanos) + " ms after the failure.",
                    last.failure);
        }
        ConnectAttempt attempt = opener.apply(deadline - clock.getAsLong());
        opening.add(attempt);
        try {
            if (closed.get()) {
                throw closedFailure(startNanos);
            }
            return attempt.open();
        } catch (ConnectException e) {
            if (e.reason() == ConnectException.Reason.AUTHENTICATION) {
                refusal = new RefusedLogin(e, clock.getAsLong());
            }
            throw e;
        } finally {
            opening.remove(attempt);
        }
    }

    /** Allows the next login at once, because the credentials have changed. Any thread. */
    public void loginChanged() {
        refusal = null;
    }

    /** Any thread: a Sentinel has named the primary. Closes the idle connections to other servers. */
    public void primaryIsAt(RedisUri.Tcp primary) {
        for (IdleConnection each : idle) {
            if (!primary.equals(each.connection.address()) && idle.remove(each)) {
                retire.accept(each.connection);
            }
        }
    }

    private BorrowedConnection lend(SharedConnection connection, long startNanos) {
        BorrowRecord borrowRecord = new BorrowRecord(this, connection);
        borrowRecords.add(borrowRecord);
        if (closed.get()) {
            borrowRecords.remove(borrowRecord);
            retire.accept(connection);
            throw closedFailure(startNanos);
        }
        return new BorrowedConnection(borrowRecord, options);
    }

    /**
     * Takes a connection back from its borrower. The connection is closed if it has ended or if {@code clean} is false;
     * otherwise it becomes idle.
     */
    void giveBack(BorrowRecord borrowRecord, boolean clean) {
        SharedConnection connection = borrowRecord.connection();
        borrowRecords.remove(borrowRecord);
        try {
            if (clean && connection.isOpen()) {
                idle.addLast(new IdleConnection(connection, clock.getAsLong()));
                timekeeper.wake();
                if (closed.get()) {
                    closeIdle();
                }
            } else {
                retire.accept(connection);
            }
        } finally {
            permits.release();
        }
    }

    private RefusedException exhaustedFailure(long startNanos) {
        String longest = borrowRecords.stream()
                .min(Comparator.comparingLong(borrowRecord -> borrowRecord.since() - startNanos))
                .map(borrowRecord -> " The longest borrow: " + borrowRecord + ".")
                .orElse("");
        return new RefusedException("no dedicated connection became free after " + sinceMillis(startNanos) + " ms: "
                + state() + "." + longest + " Return connections sooner, or raise poolSize");
    }

    private ConnectionLostException closedFailure(long startNanos) {
        return new ConnectionLostException(
                "no dedicated connection was lent after " + sinceMillis(startNanos) + " ms: the client is closed ("
                        + state() + "). Nothing was sent",
                false);
    }

    private long sinceMillis(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - startNanos);
    }

    private String state() {
        int active = borrowRecords.size();
        int idleCount = idle.size();
        return "total=" + (active + idleCount) + ", active=" + active + ", opening=" + opening.size() + ", idle="
                + idleCount + ", waiting=" + permits.getQueueLength() + ", limit=" + limit;
    }

    /** Whether no connection is lent, and none is being opened. */
    public boolean isIdle() {
        return borrowRecords.isEmpty() && opening.isEmpty();
    }

    /**
     * Closes idle connections and, with a warning in the log, borrowed connections. Threads that wait for a connection,
     * or open one, receive an exception.
     */
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        timekeeper.forget(this);
        permits.release(ALL_WAITERS);
        opening.forEach(ConnectAttempt::cancel);
        closeIdle();
        borrowRecords.forEach(BorrowRecord::closeWithClient);
    }

    private void closeIdle() {
        for (IdleConnection next = idle.poll(); next != null; next = idle.poll()) {
            retire.accept(next.connection);
        }
    }
}
