// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.LoginListener;
import io.millrace.client.internal.connect.Reconnector;
import io.millrace.client.internal.connect.Transport;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection over which the server sends pushes, and its single thread. The thread opens the connection, {@linkplain
 * PushReader reads} from it, and replaces it when it is lost.
 *
 * <p>DESIGN. The thread does all the work. {@link #close} first sets {@link #closed}. Then it cancels a connection
 * attempt and closes an open connection, which ends the thread. The thread first publishes an attempt or a connection,
 * and then reads {@code closed}. So at least one of the two threads sees the write of the other thread. The {@linkplain
 * PushHandler handler} defines what the connection is used for.
 */
final class PushConnection implements LoginListener, AutoCloseable {

    private final ClientOptions options;
    private final Login login;
    private final LongSupplier clock;
    private final PushHandler purpose;
    private final Connector first;
    private final Reconnector reconnector;
    private final Thread thread;

    /**
     * Completed when the server has confirmed all requests over the first connection. Completed with an exception if
     * the first connection ends earlier.
     */
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    /** The current transport. Written by the thread, closed by the thread that calls {@link #close}. */
    private volatile @Nullable Transport transport;

    /** Whether the server has confirmed all requests over the current connection; written by the thread. */
    private volatile boolean confirmed;

    /** Set to true by {@link #close}; never reset. */
    private volatile boolean closed;

    /**
     * Creates a connection that is not open yet.
     *
     * @param threadName name of its thread
     */
    PushConnection(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, PushHandler purpose, String threadName) {
        this.options = options;
        this.login = login;
        this.clock = clockAndRandom.clock();
        this.purpose = purpose;
        this.first = new Connector(options, login, clock);
        this.reconnector = new Reconnector(options, login, Fusion.NONE, purpose.name(), clockAndRandom);
        this.thread = ClientThreads.platform(threadName, this::work);
    }

    /**
     * Connects, and waits until the server has confirmed the requests. Must be called only once.
     *
     * @throws ConnectException if the server did not confirm the requests; the connection is then closed
     */
    void open() {
        thread.start();
        boolean open = false;
        try {
            awaitOpened();
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
    }

    /**
     * Connects in the background, and tries again until {@link #close}. Must be called only once, and instead of {@link
     * #open}.
     */
    void openLater() {
        reconnector.startsWith(HandshakeResult.none());
        opened.complete(null);
        thread.start();
    }

    private void awaitOpened() {
        Duration limit = options.connectTimeout().plus(options.commandTimeout());
        try {
            opened.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException(
                    "waiting for a " + purpose.name() + " was interrupted. The new connection was closed", false);
        } catch (TimeoutException e) {
            throw refused("no confirmation arrived within " + limit.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConnectException failure ? failure : refused(Connector.describe(e), e);
        }
    }

    /** Returns an exception. Its message contains {@code why}, and the action and the advice of the handler. */
    ConnectException refused(String why) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, failureMessage(why));
    }

    private ConnectException refused(String why, Throwable cause) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, failureMessage(why), cause);
    }

    private String failureMessage(String why) {
        return "cannot " + purpose.action() + " at " + options.uri() + ": " + why + ". " + purpose.advice();
    }

    // Called by the thread of the connection.

    private void work() {
        ConnectException failure = null;
        login.add(this);
        try {
            HandshakeResult next = opened.isDone()
                    ? reconnector.connect(HandshakeResult.NOT_CONNECTED, false, () -> {})
                    : first.open();
            while (next != null) {
                String lost = serve(next);
                if (!opened.isDone()) {
                    opened.completeExceptionally(refused(lost));
                    return;
                }
                boolean useful = confirmed;
                confirmed = false;
                if (useful && !closed) {
                    purpose.lost();
                }
                next = closed ? null : reconnector.connect(lost, useful, () -> {});
            }
        } catch (ConnectException e) {
            opened.completeExceptionally(e);
        } catch (Throwable e) {
            failure = refused("the thread of the connection failed: " + Connector.describe(e), e);
            opened.completeExceptionally(failure);
        } finally {
            confirmed = false;
            login.remove(this);
            purpose.ended(failure);
        }
    }

    /** Reads from the new connection until the connection ends; returns the cause. */
    private String serve(HandshakeResult handshakeResult) {
        Transport next = handshakeResult.transport();
        transport = next;
        try {
            if (!closed) {
                PushLogin renewal = new PushLogin(login, purpose.name(), handshakeResult);
                PushSession session = purpose.newSession();
                new PushReader(
                                next,
                                options.replyLimits(),
                                session,
                                renewal,
                                purpose.keepAlive(),
                                clock,
                                this::confirmed)
                        .run();
            }
            return "closed by this client";
        } catch (Exception e) {
            return Connector.describe(e);
        } finally {
            next.close();
        }
    }

    private void confirmed() {
        purpose.confirmed();
        confirmed = true;
        opened.complete(null);
    }

    // Called by any thread.

    /** Wakes the thread of the connection, which then sends {@code AUTH}. */
    @Override
    public void loginChanged() {
        reconnector.loginChanged();
        wake();
    }

    /**
     * Wakes the thread of the connection, which then sends the changes of its session. Over TLS, the thread finds the
     * changes without a wake-up, after 50 ms at most.
     */
    void wake() {
        Transport current = transport;
        if (current != null && current.isNonBlocking()) {
            current.wakeReader();
        }
    }

    @Override
    public boolean isLoginPending(long version) {
        return false;
    }

    /** Returns whether the server has confirmed all requests over the current connection. */
    boolean isOpen() {
        return confirmed && !closed;
    }

    /** Closes the connection, and waits until its thread has stopped. The wait is short. */
    @Override
    public void close() {
        closed = true;
        first.cancel();
        reconnector.cancel();
        Transport current = transport;
        if (current != null) {
            current.close();
        }
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
