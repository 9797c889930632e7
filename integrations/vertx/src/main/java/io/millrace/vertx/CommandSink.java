// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.streams.WriteStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stream that sends each written command at once, in order. Its queue is the window of the client, the commands and
 * bytes in flight. So many rows pass through the stream in little memory.
 *
 * <pre>{@code
 * rows.map(row -> Strings.set(row.key(), row.value())).pipeTo(redis.sink())
 * }</pre>
 *
 * <p>{@link #writeQueueFull} returns true while this stream has half of the window in flight, in commands or in bytes.
 * The other half is for other code that uses the client. A writer that ignores this fills the window, and then its
 * commands fail with {@link RefusedException}. The drain handler is called when half of this limit is free again.
 *
 * <p>Each write has its own future. A failed command does not end the stream: the exception handler receives the failure,
 * and {@link #end} fails after the last outcome. A pipe ends with the first failed write.
 *
 * <p>Handlers are called on the context that created the stream. Thread-safe.
 */
public final class CommandSink implements WriteStream<Command<?>> {

    private final VertxRedis redis;
    private final ContextInternal context;
    private final int windowCommands;
    private final long maxBytes;

    private volatile int maxCommands;
    private volatile @Nullable Handler<Throwable> exceptionHandler;
    private volatile @Nullable Handler<Void> drainHandler;

    /** Set to true by {@link #end}; never reset. */
    private volatile boolean ending;

    private final AtomicInteger commandsInFlight = new AtomicInteger();
    private final AtomicLong bytesInFlight = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

    /** Whether a writer has found this stream full, and the drain handler was not called since. */
    private final AtomicBoolean full = new AtomicBoolean();

    private final Promise<Void> end;

    CommandSink(VertxRedis redis, ContextInternal context, ClientOptions options) {
        this.redis = redis;
        this.context = context;
        this.windowCommands = options.inFlight();
        this.maxCommands = Math.max(1, windowCommands / 2);
        this.maxBytes = options.inFlightBytes() / 2;
        this.end = context.promise();
    }

    /**
     * Sends {@code command}.
     *
     * @return completes when the server has executed the command; fails with a {@link RedisException}
     * @throws IllegalArgumentException if the command needs a dedicated connection
     */
    @Override
    public Future<Void> write(Command<?> command) {
        if (ending) {
            return context.failedFuture(new IllegalStateException("the stream has ended: write() after end()"));
        }
        long bytes = command.encodedBytes();
        commandsInFlight.incrementAndGet();
        bytesInFlight.addAndGet(bytes);
        boolean sent = false;
        try {
            Future<?> outcome = redis.send(context, command);
            sent = true;
            return outcome.onComplete(result -> ended(result, bytes)).mapEmpty();
        } finally {
            if (!sent) {
                commandsInFlight.decrementAndGet();
                bytesInFlight.addAndGet(-bytes);
            }
        }
    }

    private void ended(AsyncResult<?> result, long bytes) {
        bytesInFlight.addAndGet(-bytes);
        int left = commandsInFlight.decrementAndGet();
        if (result.succeeded()) {
            written.incrementAndGet();
        } else {
            failed.incrementAndGet();
            firstFailure.compareAndSet(null, result.cause());
            Handler<Throwable> receiver = exceptionHandler;
            if (receiver != null) {
                context.emit(result.cause(), receiver);
            }
        }
        callDrainHandler();
        if (left == 0 && ending) {
            completeEnd();
        }
    }

    /**
     * Ends the stream.
     *
     * @return completes when every written command has its outcome; fails with the first failure if any command failed
     */
    @Override
    public Future<Void> end() {
        ending = true;
        if (commandsInFlight.get() == 0) {
            completeEnd();
        }
        return end.future();
    }

    private void completeEnd() {
        Throwable failure = firstFailure.get();
        if (failure == null) {
            end.tryComplete();
        } else {
            end.tryFail(failure);
        }
    }

    /** Number of commands that the server has executed without an error. */
    public long written() {
        return written.get();
    }

    /** Number of commands that failed. */
    public long failed() {
        return failed.get();
    }

    /**
     * Sets the number of commands in flight from which on this stream is full. Default: half of {@link
     * ClientOptions#IN_FLIGHT}.
     *
     * @param commands 1 to the {@code inFlight} of the client
     */
    @Override
    public CommandSink setWriteQueueMaxSize(int commands) {
        if (commands < 1 || commands > windowCommands) {
            throw new IllegalArgumentException("writeQueueMaxSize=" + commands + " is out of range: 1 to "
                    + windowCommands + ", the inFlight of the client");
        }
        maxCommands = commands;
        return this;
    }

    @Override
    public boolean writeQueueFull() {
        if (commandsInFlight.get() < maxCommands && bytesInFlight.get() < maxBytes) {
            return false;
        }
        full.set(true);
        return true;
    }

    @Override
    public CommandSink exceptionHandler(@Nullable Handler<Throwable> newHandler) {
        exceptionHandler = newHandler;
        return this;
    }

    @Override
    public CommandSink drainHandler(@Nullable Handler<Void> newHandler) {
        drainHandler = newHandler;
        // Another thread may have received the last outcome since writeQueueFull() returned true.
        callDrainHandler();
        return this;
    }

    private void callDrainHandler() {
        Handler<Void> receiver = drainHandler;
        if (receiver != null
                && full.get()
                && commandsInFlight.get() <= maxCommands / 2
                && bytesInFlight.get() <= maxBytes / 2
                && full.compareAndSet(true, false)) {
            context.emit(null, receiver);
        }
    }
}
