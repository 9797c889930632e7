// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The clients of this JVM: one for each server and set of options. All tasks of an executor share a client, and each task
 * opens only its bulk connections. A client is closed some time after its last task has ended. Thread-safe.
 */
final class SharedClients {

    /** The clients of this executor or driver. */
    static final SharedClients OF_THIS_JVM =
            new SharedClients(server -> RedisClient.connect(server.clientOptions()), Duration.ofSeconds(30));

    private final Function<ServerChoice, RedisClient> connector;
    private final Duration idle;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Map<ServerChoice, SharedClient> clients = new HashMap<>();

    /**
     * Creates an empty set of clients.
     *
     * @param idle time from the end of the last task to the close of a client
     */
    SharedClients(Function<ServerChoice, RedisClient> connector, Duration idle) {
        this.connector = connector;
        this.idle = idle;
    }

    /** One client, and the number of its borrowers. */
    private final class SharedClient {

        private final ServerChoice server;

        /** Held while the client connects, so that other tasks wait for this client and do not open another one. */
        private final ReentrantLock connecting = new ReentrantLock();

        /** Written while {@link #connecting} is held; null before the first connect. */
        private volatile @Nullable RedisClient client;

        /** Number of attempts to connect that have begun. Written while {@link #connecting} is held. */
        private final AtomicLong attempts = new AtomicLong();

        /**
         * Why the last attempt has failed; null if it was ended by the end of its task, which concerns no other task. Guarded by
         * {@link #connecting}.
         */
        private @Nullable RedisException failure;

        /** Guarded by the lock of the map. */
        private int borrowers;

        /** Number of loans so far. Guarded by the lock of the map. */
        private long loans;

        SharedClient(ServerChoice server) {
            this.server = server;
        }

        RedisClient connected(ConnectPatience patience) {
            while (true) {
                try {
                    return connectedNow(patience);
                } catch (RedisException failed) {
                    if (!patience.waited(failed)) {
                        throw patience.ended(failed);
                    }
                }
            }
        }

        /**
         * Connects. If another task begins an attempt while this task waits, and the attempt fails, this method throws the same
         * exception: tasks that wait do not repeat the attempt one after the other.
         */
        private RedisClient connectedNow(ConnectPatience patience) {
            RedisClient open = client;
            if (open != null) {
                return open;
            }
            long before = attempts.get();
            patience.lock(connecting);
            try {
                open = client;
                if (open != null) {
                    return open;
                }
                if (failure != null && attempts.get() > before) {
                    throw failure;
                }
                return connect(patience);
            } finally {
                connecting.unlock();
            }
        }

        private RedisClient connect(ConnectPatience patience) {
            long unused = attempts.incrementAndGet();
            failure = null;
            try {
                RedisClient open = connector.apply(server);
                client = open;
                return open;
            } catch (RedisException failed) {
                failure = patience.isTaskEnded() ? null : failed;
                throw failed;
            }
        }

        void close() {
            connecting.lock();
            try {
                RedisClient open = client;
                if (open != null) {
                    open.close();
                }
            } finally {
                connecting.unlock();
            }
        }
    }

    /** A client for one borrower. The borrower closes this object, and not the client. */
    final class Loan implements AutoCloseable {

        private final SharedClient shared;
        private final RedisClient client;
        private boolean returned;

        private Loan(SharedClient shared, RedisClient client) {
            this.shared = shared;
            this.client = client;
        }

        RedisClient client() {
            return client;
        }

        @Override
        public void close() {
            if (!returned) {
                returned = true;
                giveBack(shared);
            }
        }
    }

    /**
     * Borrows the client of {@code server}. Blocks while the client connects, and waits for a server that cannot be reached.
     *
     * @throws io.millrace.client.exception.RedisException if the server cannot be reached
     */
    Loan borrow(ServerChoice server, ConnectPatience patience) {
        SharedClient shared;
        lock.lock();
        try {
            shared = clients.computeIfAbsent(server, SharedClient::new);
            shared.borrowers++;
            shared.loans++;
        } finally {
            lock.unlock();
        }
        boolean connected = false;
        try {
            Loan loan = new Loan(shared, shared.connected(patience));
            connected = true;
            return loan;
        } finally {
            if (!connected) {
                giveBack(shared);
            }
        }
    }

    private void giveBack(SharedClient shared) {
        lock.lock();
        try {
            shared.borrowers--;
            if (shared.borrowers == 0) {
                long loans = shared.loans;
                CompletableFuture.delayedExecutor(idle.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(() -> closeIfIdle(shared, loans));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the client, unless it was borrowed again since its {@code loans}th loan. */
    private void closeIfIdle(SharedClient shared, long loans) {
        lock.lock();
        try {
            if (shared.borrowers > 0 || shared.loans != loans) {
                return;
            }
            clients.remove(shared.server, shared);
        } finally {
            lock.unlock();
        }
        shared.close();
    }

    /** The number of open clients. */
    int size() {
        lock.lock();
        try {
            return clients.size();
        } finally {
            lock.unlock();
        }
    }
}
