// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Message;
import io.millrace.client.Subscription;
import io.millrace.client.Topics;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with its connection and the one thread that reads it and, when it is lost, replaces it.
 *
 * <p>RESP3 marks messages and confirmations as pushes, RESP2 sends them as arrays; nothing else comes here but answers to
 * {@code PING}, which the timekeeper sends when it has been quiet for long, so that a dead connection is noticed.
 */
final class SubscriptionConnection implements Subscription, Timekeeper.Watched {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    private static final byte[] SUBSCRIBE = RequestEncoder.encodeName("SUBSCRIBE");
    private static final byte[] PSUBSCRIBE = RequestEncoder.encodeName("PSUBSCRIBE");
    private static final byte[] PING = RequestEncoder.encodeName("PING");

    private final Engine engine;
    private final Topics topics;
    private final Mailbox mailbox;
    private final Backoff backoff;
    private final long quietNanos;
    private final Thread thread;
    private final LongAdder gaps = new LongAdder();
    private final CompletableFuture<Void> firstConfirmed = new CompletableFuture<>();

    /** Written by the thread. */
    private volatile @Nullable Transport transport;

    /** How many channels and patterns are not confirmed yet over this connection; written by the thread. */
    private volatile int unconfirmed;

    private volatile long lastReadNanos;

    /** Whether a PING is on its way that nothing was read since; written by the timekeeper and the thread. */
    private volatile boolean pinged;

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    private SubscriptionConnection(Engine engine, Topics topics) {
        this.engine = engine;
        this.topics = topics;
        this.mailbox = new Mailbox(topics.buffer());
        this.backoff =
                new Backoff(engine.options().reconnectDelay(), engine.options().reconnectDelayMost(), engine.random());
        this.quietNanos = engine.options().commandTimeout().toNanos();
        this.thread = Thread.ofPlatform().name("millrace-subscriber").daemon().unstarted(this::work);
    }

    /** Opens a subscription and waits until the server has confirmed it. */
    static SubscriptionConnection open(Engine engine, Topics topics) {
        SubscriptionConnection subscription = new SubscriptionConnection(engine, topics);
        subscription.thread.start();
        engine.timekeeper().watch(subscription);
        boolean confirmed = false;
        try {
            subscription.awaitConfirmation();
            confirmed = true;
            return subscription;
        } finally {
            if (!confirmed) {
                subscription.close();
            }
        }
    }

    private void awaitConfirmation() {
        Duration limit = engine.options().connectTimeout().plus(engine.options().commandTimeout());
        try {
            firstConfirmed.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("waiting for a subscription was interrupted", true);
        } catch (TimeoutException e) {
            throw new ConnectException(
                    ConnectException.Reason.HANDSHAKE,
                    "no confirmation of the subscription within " + limit.toMillis() + " ms from "
                            + engine.options().uri() + ". Is it a Redis?",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ConnectException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        }
    }

    // The thread.

    private void work() {
        while (!closed) {
            try {
                read();
                connectionLost("the server closed the connection");
            } catch (ConnectException e) {
                if (!firstConfirmed.isDone() || e.reason() == ConnectException.Reason.AUTHENTICATION) {
                    firstConfirmed.completeExceptionally(e);
                    break;
                }
                LOG.log(Level.WARNING, e.getMessage());
            } catch (Throwable e) {
                connectionLost(Connector.describe(e));
            } finally {
                closeTransport();
            }
            if (!closed) {
                LockSupport.parkNanos(this, backoff.nextNanos());
            }
        }
        mailbox.close();
    }

    private void connectionLost(String cause) {
        if (closed) {
            return;
        }
        if (firstConfirmed.isDone()) {
            gaps.increment();
            LOG.log(
                    Level.WARNING,
                    "lost the connection of a subscription to {0}: {1}",
                    engine.options().uri(),
                    cause);
        } else {
            firstConfirmed.completeExceptionally(refused(cause));
            closed = true;
        }
    }

    private ConnectException refused(String cause) {
        return new ConnectException(
                ConnectException.Reason.HANDSHAKE,
                "cannot subscribe at " + engine.options().uri() + ": " + cause + ". Check channels and rights",
                null);
    }

    private void read() throws IOException {
        Transport connected = Connector.connect(engine.options());
        transport = connected;
        unconfirmed = topics.channels().size() + topics.patterns().size();
        lastReadNanos = engine.now();
        pinged = false;
        if (closed) {
            return;
        }
        SegmentChain chain = new SegmentChain();
        RequestEncoder encoder = new RequestEncoder(chain);
        write(chain, encoder, SUBSCRIBE, topics.channels());
        write(chain, encoder, PSUBSCRIBE, topics.patterns());
        while (chain.taken() < chain.published()) {
            if (chain.sendSome(connected) == 0) {
                connected.awaitWritable();
            }
        }
        RespReader replies = new RespReader();
        byte[] buffer = new byte[16 * 1024];
        for (int count = connected.read(buffer); count >= 0; count = connected.read(buffer)) {
            lastReadNanos = engine.now();
            pinged = false;
            replies.feed(buffer, 0, count);
            while (replies.next()) {
                take(replies.reply());
            }
        }
    }

    private static void write(SegmentChain chain, RequestEncoder encoder, byte[] name, List<String> arguments) {
        if (!arguments.isEmpty()) {
            encoder.begin(name, 1);
            arguments.forEach(encoder::arg);
            int length = encoder.end();
            chain.publish(encoder.finished(), length);
        }
    }

    private void take(Reply reply) {
        switch (reply) {
            case Reply.Push push -> take(push.items());
            case Reply.ArrayReply array -> take(array.items());
            case Reply.ErrorReply error -> throw refused(error.message());
            default -> {
                // A PONG.
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void take(List<Reply> items) {
        switch (text(items, 0)) {
            case "message" -> mailbox.put(new Message(text(items, 1), Optional.empty(), bytes(items, 2)));
            case "pmessage" -> mailbox.put(new Message(text(items, 2), Optional.of(text(items, 1)), bytes(items, 3)));
            case "subscribe", "psubscribe" -> {
                unconfirmed--;
                if (unconfirmed == 0) {
                    backoff.reset();
                    firstConfirmed.complete(null);
                }
            }
            default -> {
                // A PONG in RESP2, or a kind that nobody asked for.
            }
        }
    }

    private static String text(List<Reply> items, int index) {
        return new String(bytes(items, index), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static byte[] bytes(List<Reply> items, int index) {
        return index < items.size() && items.get(index) instanceof Reply.BulkString bulk ? bulk.bytes() : new byte[0];
    }

    private void closeTransport() {
        Transport current = transport;
        if (current != null) {
            current.close();
        }
    }

    // The timekeeper.

    @Override
    public boolean tick(long now) {
        Transport current = transport;
        if (unconfirmed == 0 && current != null && now - lastReadNanos > quietNanos) {
            if (now - lastReadNanos > 2 * quietNanos) {
                current.close();
            } else if (!pinged && current.writesWithoutWaiting()) {
                pinged = true;
                ping(current);
            }
        }
        return true;
    }

    private static void ping(Transport current) {
        SegmentChain chain = new SegmentChain();
        RequestEncoder encoder = new RequestEncoder(chain);
        encoder.begin(PING, 1);
        int length = encoder.end();
        chain.publish(encoder.finished(), length);
        try {
            chain.sendSome(current);
        } catch (IOException e) {
            current.close();
        }
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
        return !closed && unconfirmed == 0 && firstConfirmed.isDone();
    }

    @Override
    public void close() {
        closed = true;
        engine.timekeeper().forget(this);
        closeTransport();
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
