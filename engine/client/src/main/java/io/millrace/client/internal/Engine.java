// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientAccount;
import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Fusion;
import io.millrace.client.Health;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RefusedException;
import io.millrace.client.ResultListener;
import io.millrace.client.Subscription;
import io.millrace.client.Topics;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.Transaction;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What stands behind a client: its connections of every kind, the threads they have in common, and their account. */
public final class Engine implements AutoCloseable {

    /** How many threads in the order of their start share a connection. Measured with 8, 64 and 512 callers. */
    private static final int DROVE = 32;

    private final ClientOptions options;
    private final Surroundings surroundings;
    private final long commandNanos;
    private final Completions completions;
    private final PushDesk pushes;
    private final Timekeeper timekeeper;
    private final Accounts accounts = new Accounts();
    private final FusibleKinds.Refused refusedKinds = new FusibleKinds.Refused();
    private final SharedConnection[] shared;
    private final Pool pool;
    private final AtomicInteger dedicatedOpened = new AtomicInteger();

    /** Set once, by whoever closes the client. */
    private volatile boolean closed;

    /**
     * Connects.
     *
     * @throws io.millrace.client.ConnectException if that fails
     */
    public Engine(ClientOptions options, Surroundings surroundings) {
        this.options = options;
        this.surroundings = surroundings;
        this.commandNanos = options.commandTimeout().toNanos();
        this.pushes = new PushDesk(options.pushListener());
        this.timekeeper = new Timekeeper(surroundings.clock());
        this.completions = new Completions(timekeeper);
        this.shared = new SharedConnection[options.connections()];
        this.pool = new Pool(this, options.poolSize(), this::dedicated);
        boolean connected = false;
        try {
            for (int i = 0; i < shared.length; i++) {
                Connector connector = new Connector(options, false, Long.MAX_VALUE, options.fusion());
                shared[i] = open(Integer.toString(i + 1), ConnectionAccount.Kind.SHARED, connector);
                WarmUp.run(shared[i], this);
            }
            connected = true;
        } finally {
            if (!connected) {
                close();
            }
        }
    }

    private Pool.Opening dedicated(long nanos) {
        String name = "pool-" + dedicatedOpened.incrementAndGet();
        Connector connector = new Connector(options, true, nanos, Fusion.NONE);
        return new Pool.Opening() {
            @Override
            public SharedConnection open() {
                return Engine.this.open(name, ConnectionAccount.Kind.DEDICATED, connector);
            }

            @Override
            public void cancel() {
                connector.cancel();
            }
        };
    }

    private SharedConnection open(String name, ConnectionAccount.Kind kind, Connector connector) {
        SharedConnection connection = new SharedConnection(this, name, kind, connector);
        accounts.add(connection);
        return connection;
    }

    // Commands.

    /** Runs {@code command} and waits for its value. */
    public <T> T call(Command<T> command) {
        long now = now();
        long deadline = now + command.deadlineNanos(commandNanos);
        if (command.blocking()) {
            // The wait for a connection takes from the timeout, not from what the server was told to wait.
            try (Lease lease = borrow(deadline - command.blockNanos())) {
                return lease.call(command, now, deadline);
            }
        }
        Placement.SHARED.check(command);
        PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
        mine().submit(call);
        return Calls.await(call);
    }

    /** For one command, which is in the account even if no connection is found for it. */
    private Lease borrow(long deadline) {
        try {
            return pool.borrow(deadline);
        } catch (RefusedException | InterruptedCommandException e) {
            accounts.notSubmitted(Outcomes.REFUSED);
            throw e;
        } catch (ConnectException | ConnectionLostException e) {
            accounts.notSubmitted(new Outcome.Lost(false, Connector.describe(e)));
            throw e;
        }
    }

    /** Runs {@code command}; its value, or the exception, comes with the future. */
    public <T> CompletableFuture<T> send(Command<T> command) {
        Placement.SHARED.check(command);
        long now = now();
        CompletableFuture<T> future = new CompletableFuture<>();
        mine().submit(new PendingCall<>(
                command, now, now + command.deadlineNanos(commandNanos), new Completion<>(future, completions)));
        return future;
    }

    public Pipeline pipeline(@Nullable ResultListener listener) {
        return new PipelineRun(mine(), options, listener);
    }

    public Transaction transaction() {
        return new TransactionRun(mine(), commandNanos, () -> {});
    }

    /**
     * Always the same for a thread, so that its commands stay in order. Threads that were started one after the other keep
     * together: a few callers do best on one connection, where what they send goes out together; many do best on several,
     * where some are woken while others are sent for.
     */
    private SharedConnection mine() {
        long drove = Thread.currentThread().threadId() / DROVE;
        return shared[(int) (drove % shared.length)];
    }

    // Connections of one's own.

    public DedicatedConnection borrow() {
        refuseIfClosed();
        return pool.borrow(now() + commandNanos);
    }

    /** Opens a connection of its own for bulk work. */
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        refuseIfClosed();
        Link link = Connector.connectBlocking(options, bulk.fusion());
        FusibleKinds kinds = new FusibleKinds(link.fusible(), refusedKinds);
        BulkConnection connection =
                new BulkConnection(link.transport(), kinds, timekeeper, bulk, listener, accounts::retire);
        accounts.add(connection);
        return connection;
    }

    public Subscription subscribe(Topics topics) {
        refuseIfClosed();
        return SubscriptionConnection.open(this, topics);
    }

    public Tracking track(TrackingOptions tracking) {
        refuseIfClosed();
        return TrackingConnection.open(this, tracking);
    }

    // What there is to know.

    public boolean isOpen() {
        for (SharedConnection connection : shared) {
            if (!connection.isOpen()) {
                return false;
            }
        }
        return true;
    }

    public Health health(Duration timeout) {
        return new HealthCheck(timeout).of(shared);
    }

    public ClientAccount account() {
        return accounts.snapshot(pushes.dropped());
    }

    public CommandCounts counts() {
        return account().counts();
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
        for (SharedConnection connection : shared) {
            if (connection != null) {
                connection.close();
            }
        }
        timekeeper.close();
    }

    // What the parts need of each other.

    ClientOptions options() {
        return options;
    }

    LongSupplier clock() {
        return surroundings.clock();
    }

    long now() {
        return surroundings.clock().getAsLong();
    }

    RandomGenerator random() {
        return surroundings.random();
    }

    Completions completions() {
        return completions;
    }

    FusibleKinds.Refused refusedKinds() {
        return refusedKinds;
    }

    Timekeeper timekeeper() {
        return timekeeper;
    }

    void push(Reply.Push push) {
        pushes.offer(push);
    }

    /** Closes a connection for good; its account stays. */
    void retire(SharedConnection connection) {
        connection.close();
        accounts.retire(connection);
    }

    void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the client is closed");
        }
    }
}
