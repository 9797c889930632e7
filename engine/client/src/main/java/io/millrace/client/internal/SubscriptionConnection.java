// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Message;
import io.millrace.client.Subscription;
import io.millrace.client.Topics;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, and the one thread that connects it, {@linkplain SubscriptionReader reads it} and replaces its connection
 * when that is lost.
 *
 * <p>DESIGN. Everything happens on that thread but {@link #close}, which makes it leave: it sets {@link #closed}, then cancels
 * what is being connected and closes what is connected. The thread publishes either of these first and looks at {@code closed}
 * then, so one of the two notices the other.
 */
final class SubscriptionConnection implements Subscription {

    private final Engine engine;
    private final Topics topics;
    private final int quietMillis;
    private final Mailbox mailbox;
    private final Connector first;
    private final Reconnector reconnector;
    private final Thread thread;
    private final LongAdder gaps = new LongAdder();

    /** Completed when the first connection is confirmed, or with the reason why there is none. */
    private final CompletableFuture<Void> begun = new CompletableFuture<>();

    /** Written by the thread, closed by whoever closes. */
    private volatile @Nullable Transport transport;

    /** Whether everything is confirmed over the present connection; written by the thread. */
    private volatile boolean confirmed;

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    private SubscriptionConnection(Engine engine, Topics topics) {
        this.engine = engine;
        this.topics = topics;
        this.quietMillis = (int) engine.options().commandTimeout().toMillis();
        this.mailbox = new Mailbox(topics.buffer());
        this.first = new Connector(engine.options());
        this.reconnector = new Reconnector(engine.options(), "subscription", engine.clock(), engine.random());
        this.thread = Thread.ofPlatform().name("millrace-subscriber").daemon().unstarted(this::work);
    }

    /** Opens a subscription and waits until the server has confirmed it. */
    static SubscriptionConnection open(Engine engine, Topics topics) {
        SubscriptionConnection subscription = new SubscriptionConnection(engine, topics);
        subscription.thread.start();
        boolean begun = false;
        try {
            subscription.awaitBegin();
            begun = true;
            return subscription;
        } finally {
            if (!begun) {
                subscription.close();
            }
        }
    }

    private void awaitBegin() {
        Duration limit = engine.options().connectTimeout().plus(engine.options().commandTimeout());
        try {
            begun.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("waiting for a subscription was interrupted. It was given up", false);
        } catch (TimeoutException e) {
            throw refused("no confirmation came within " + limit.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConnectException failure ? failure : refused(Connector.describe(e), e);
        }
    }

    private ConnectException refused(String why) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, inVain(why));
    }

    private ConnectException refused(String why, Throwable cause) {
        return new ConnectException(ConnectException.Reason.HANDSHAKE, inVain(why), cause);
    }

    private String inVain(String why) {
        return "cannot subscribe at " + engine.options().uri() + ": " + why + ". Check the user's rights to channels.";
    }

    // The thread.

    private void work() {
        ConnectException failure = null;
        try {
            Transport next = first.open();
            while (next != null) {
                String lost = serve(next);
                if (!begun.isDone()) {
                    begun.completeExceptionally(refused(lost));
                    return;
                }
                boolean useful = confirmed;
                confirmed = false;
                if (useful && !closed) {
                    gaps.increment();
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
            mailbox.close(failure);
        }
    }

    /** Reads {@code next} until it ends; returns why it did. */
    private String serve(Transport next) {
        transport = next;
        try {
            if (!closed) {
                new SubscriptionReader(next, topics, quietMillis, mailbox, this::confirmed).run();
            }
            return "closed by this client";
        } catch (Exception e) {
            return Connector.describe(e);
        } finally {
            next.close();
        }
    }

    private void confirmed() {
        confirmed = true;
        begun.complete(null);
    }

    // The subscriber.

    @Override
    public Optional<Message> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    @Override
    public int waiting() {
        return mailbox.size();
    }

    @Override
    public long dropped() {
        return mailbox.dropped();
    }

    @Override
    public long gaps() {
        return gaps.sum();
    }

    @Override
    public boolean isOpen() {
        return confirmed && !closed;
    }

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
