// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.Message;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.exception.RedisException;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.streams.ReadStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a subscription, on the context of the subscriber. Thread-safe.
 *
 * <p>While the stream is paused, or has no handler, messages wait in the buffer of the {@link Subscription}. If the
 * buffer is full, the oldest messages are dropped, and {@link Subscription#dropped} counts them: see {@link
 * SubscribeOptions}. A lost connection does not end the stream; {@link Subscription#gaps} counts losses. The stream ends
 * when it is closed. After an internal failure it calls the exception handler first.
 *
 * <p>DESIGN. A virtual thread takes messages from the subscription, and passes them to the context. It takes the next
 * messages only after the handler has received all earlier ones. So the buffer of the subscription is the only buffer
 * that grows.
 */
public final class MessageStream implements ReadStream<Message> {

    /** Maximum number of messages that are passed to the context at once. */
    private static final int BATCH = 256;

    /** Time after which the virtual thread checks whether the stream is paused or closed. */
    private static final Duration POLL = Duration.ofSeconds(60);

    private final ContextInternal context;
    private final Subscription subscription;
    private final OpenStreams streams;

    /** Closes this stream with the verticle of the subscriber. */
    private final Closeable hook = completion -> close().onComplete(completion);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<Message> taken = new ArrayDeque<>();
    private long demand = Long.MAX_VALUE;
    private boolean delivering;
    private boolean started;
    private boolean closed;
    private @Nullable Handler<Message> handler;
    private @Nullable Handler<Throwable> exceptionHandler;
    private @Nullable Handler<Void> endHandler;

    MessageStream(ContextInternal context, Subscription subscription, OpenStreams streams) {
        this.context = context;
        this.subscription = subscription;
        this.streams = streams;
    }

    /** Registers this stream, so that it is closed with its adapter, and with the verticle of the subscriber. */
    MessageStream closedWithVerticle() {
        CloseFuture verticle = context.closeFuture();
        if (!streams.add(this) || verticle.isClosed() || !verticle.add(hook)) {
            Future<Void> unused = close();
        }
        return this;
    }

    /**
     * The subscription, for its topics and counts. Its methods that block, such as {@code subscribe}, must not be called
     * on an event loop.
     */
    public Subscription subscription() {
        return subscription;
    }

    @Override
    public MessageStream exceptionHandler(@Nullable Handler<Throwable> newHandler) {
        return change(() -> exceptionHandler = newHandler);
    }

    /** Sets the receiver of the messages. The first handler starts the stream, unless the stream is paused. */
    @Override
    public MessageStream handler(@Nullable Handler<Message> newHandler) {
        return change(() -> {
            handler = newHandler;
            if (newHandler != null && !started) {
                started = true;
                Thread.ofVirtual().name("millrace-vertx-messages").start(this::pump);
            }
        });
    }

    /** Sets the receiver of the end of the stream: it is called after {@link #close}, and when the verticle ends. */
    @Override
    public MessageStream endHandler(@Nullable Handler<Void> newHandler) {
        return change(() -> endHandler = newHandler);
    }

    @Override
    public MessageStream pause() {
        return change(() -> demand = 0);
    }

    @Override
    public MessageStream resume() {
        return change(() -> demand = Long.MAX_VALUE);
    }

    @Override
    public MessageStream fetch(long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException("amount=" + amount + " is out of range: 0 or more");
        }
        return change(() -> demand = demand + amount < 0 ? Long.MAX_VALUE : demand + amount);
    }

    private MessageStream change(Runnable step) {
        lock.lock();
        try {
            step.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        deliverSoon();
        return this;
    }

    /** Ends the subscription. Messages that the handler has not received are dropped. */
    public Future<Void> close() {
        Promise<Void> done = context.promise();
        context.executeBlocking(
                        () -> {
                            closeBlocking();
                            return true;
                        },
                        false)
                .<Void>mapEmpty()
                .onComplete(done);
        return done.future();
    }

    /** Ends the subscription. Waits until its connection is closed. */
    void closeBlocking() {
        boolean ends;
        lock.lock();
        try {
            ends = !closed;
            closed = true;
            taken.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        subscription.close();
        streams.remove(this);
        context.closeFuture().remove(hook);
        if (ends) {
            context.emit(this::end);
        }
    }

    private void end(@Nullable Void unused) {
        Handler<Void> receiver;
        lock.lock();
        try {
            receiver = endHandler;
        } finally {
            lock.unlock();
        }
        if (receiver != null) {
            receiver.handle(null);
        }
    }

    // The virtual thread.

    private void pump() {
        try {
            while (awaitDemand()) {
                Optional<Message> first = subscription.poll(POLL);
                first.ifPresent(this::take);
            }
        } catch (InterruptedException | RedisException e) {
            fail(e);
        }
    }

    /** Waits until the handler wants a message, and has received all earlier ones. Returns false after the end. */
    private boolean awaitDemand() throws InterruptedException {
        lock.lock();
        try {
            while (!closed && (demand == 0 || handler == null || !taken.isEmpty())) {
                changed.await();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Takes {@code first} and the messages that have arrived with it. */
    private void take(Message first) {
        List<Message> messages = new ArrayList<>();
        messages.add(first);
        for (int more = Math.min(BATCH - 1, subscription.waiting()); more > 0; more--) {
            subscription.poll(Duration.ZERO).ifPresent(messages::add);
        }
        lock.lock();
        try {
            if (!closed) {
                taken.addAll(messages);
            }
        } finally {
            lock.unlock();
        }
        deliverSoon();
    }

    private void fail(Exception failure) {
        Handler<Throwable> receiver;
        lock.lock();
        try {
            receiver = closed ? null : exceptionHandler;
        } finally {
            lock.unlock();
        }
        if (receiver != null) {
            context.emit(failure, receiver::handle);
        }
        closeBlocking();
    }

    // The context.

    private void deliverSoon() {
        lock.lock();
        try {
            if (delivering || !canDeliver()) {
                return;
            }
            delivering = true;
        } finally {
            lock.unlock();
        }
        context.execute(this::deliver);
    }

    /** With the lock: whether the handler wants a message that was taken. */
    private boolean canDeliver() {
        return handler != null && demand > 0 && !taken.isEmpty();
    }

    private void deliver() {
        while (true) {
            Message message;
            Handler<Message> receiver;
            lock.lock();
            try {
                receiver = handler;
                if (receiver == null || !canDeliver()) {
                    delivering = false;
                    changed.signalAll();
                    return;
                }
                message = taken.remove();
                demand -= demand == Long.MAX_VALUE ? 0 : 1;
            } finally {
                lock.unlock();
            }
            // Without the lock. The handler may pause the stream.
            context.emit(message, receiver);
        }
    }
}
