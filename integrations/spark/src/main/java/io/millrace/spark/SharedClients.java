// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

        /** Guarded by {@link #connecting}; null before the first connect. */
        private @Nullable RedisClient client;

        /**
         * The exception of the last attempt to connect. Written with {@link #connecting}. The interrupt of a task is not
         * kept, because it concerns only this task.
         */
        private volatile @Nullable RedisException failure;

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

        /** Connects. If an attempt of another task fails while this task waits, this task has the same exception. */
        private RedisClient connectedNow(ConnectPatience patience) {
            RedisException before = failure;
            patience.lock(connecting);
            try {
                if (client != null) {
                    return client;
                }
                RedisException meanwhile = failure;
                if (meanwhile != null && meanwhile != before) {
                    throw meanwhile;
                }
                client = connector.apply(server);
                return client;
            } catch (InterruptedCommandException interrupted) {
                throw interrupted;
            } catch (RedisException failed) {
                failure = failed;
                throw failed;
            } finally {
                connecting.unlock();
            }
        }

        void close() {
            connecting.lock();
            try {
                if (client != null) {
                    client.close();
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
