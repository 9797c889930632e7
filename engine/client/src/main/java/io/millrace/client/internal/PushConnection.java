// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.Fusion;
import io.millrace.client.InterruptedCommandException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A connection over which the server tells us things unasked, and the one thread that connects it, {@linkplain PushReader reads
 * it} and replaces it when it is lost.
 *
 * <p>DESIGN. Everything happens on that thread but {@link #close}, which makes it leave: it sets {@link #closed}, then cancels
 * what is being connected and closes what is connected. The thread publishes either of these first and looks at {@code closed}
 * then, so one of the two notices the other. What the connection is for is left to its {@linkplain PushPurpose purpose}.
 */
final class PushConnection implements AutoCloseable {

    private final Engine engine;
    private final PushPurpose purpose;
    private final Connector first;
    private final Reconnector reconnector;
    private final Thread thread;

    /** Completed when the first connection is confirmed, or with the reason why there is none. */
    private final CompletableFuture<Void> begun = new CompletableFuture<>();

    /** Written by the thread, closed by whoever closes. */
    private volatile @Nullable Transport transport;

    /** Whether everything is confirmed over the present connection; written by the thread. */
    private volatile boolean confirmed;

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    /**
     * Not connected yet.
     *
     * @param threadName of the thread that does it all
     */
    PushConnection(Engine engine, PushPurpose purpose, String threadName) {
        this.engine = engine;
        this.purpose = purpose;
        this.first = new Connector(engine.options());
        this.reconnector =
                new Reconnector(engine.options(), Fusion.NONE, purpose.name(), engine.clock(), engine.random());
        this.thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::work);
    }

    /**
     * Connects, and waits until the server has confirmed what is asked of it. Once.
     *
     * @throws ConnectException if it did not; nothing is left of the attempt then
     */
    void open() {
        thread.start();
        boolean open = false;
        try {
            awaitBegin();
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
    }

    private void awaitBegin() {
        Duration limit = engine.options().connectTimeout().plus(engine.options().commandTimeout());
        try {
            begun.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException(
                    "waiting for a " + purpose.name() + " was interrupted. It was given up", false);
        } catch (TimeoutException e) {
            throw refused("no confirmation came within " + limit.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConnectException failure ? failure : refused(Connector.describe(e), e);
        }
    }

    /** Why it is not possible, in the words of the purpose. */
    ConnectException refused(String why) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, inVain(why));
    }

    private ConnectException refused(String why, Throwable cause) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, inVain(why), cause);
    }

    private String inVain(String why) {
        return "cannot " + purpose.deed() + " at " + engine.options().uri() + ": " + why + ". " + purpose.advice();
    }

    // The thread.

    private void work() {
        ConnectException failure = null;
        try {
            Link next = first.open();
            while (next != null) {
                String lost = serve(next.transport());
                if (!begun.isDone()) {
                    begun.completeExceptionally(refused(lost));
                    return;
                }
                boolean useful = confirmed;
                confirmed = false;
                if (useful && !closed) {
                    purpose.lost();
                }
                next = closed ? null : reconnector.connect(lost, useful, () -> {});
            }
            String refusal = reconnector.refusal();
            failure = refusal == null ? null : new ConnectException(ConnectException.Reason.AUTHENTICATION, refusal);
        } catch (ConnectException e) {
            begun.completeExceptionally(e);
        } catch (Throwable e) {
            failure = refused("its thread failed: " + Connector.describe(e), e);
            begun.completeExceptionally(failure);
        } finally {
            confirmed = false;
            purpose.ended(failure);
        }
    }

    /** Reads {@code next} until it ends; returns why it did. */
    private String serve(Transport next) {
        transport = next;
        try {
            if (!closed) {
                new PushReader(next, purpose.begin(), purpose.pulse(), engine.clock(), this::confirmed).run();
            }
            return "closed by this client";
        } catch (Exception e) {
            return Connector.describe(e);
        } finally {
            next.close();
        }
    }

    private void confirmed() {
        purpose.established();
        confirmed = true;
        begun.complete(null);
    }

    // Any thread.

    /** Whether everything is confirmed over the present connection. */
    boolean isOpen() {
        return confirmed && !closed;
    }

    /** Ends it, and waits for the thread to leave, which it does at once. */
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
