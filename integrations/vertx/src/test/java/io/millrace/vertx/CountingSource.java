// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.command.Command;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.streams.ReadStream;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A stream of commands that are made from the numbers 0 to {@code count - 1}. Confined to its context. */
final class CountingSource implements ReadStream<Command<?>> {

    private final Context context;
    private final int count;

    private IntFunction<Command<?>> commands = number -> {
        throw new IllegalStateException("commands() was not called");
    };

    private int next;
    private long demand = Long.MAX_VALUE;
    private boolean running;
    private boolean ended;
    private @Nullable Handler<Command<?>> handler;
    private @Nullable Handler<Void> endHandler;

    CountingSource(Context context, int count) {
        this.context = context;
        this.count = count;
    }

    CountingSource commands(IntFunction<Command<?>> newCommands) {
        commands = newCommands;
        return this;
    }

    @Override
    public CountingSource exceptionHandler(@Nullable Handler<Throwable> newHandler) {
        return this;
    }

    @Override
    public CountingSource handler(@Nullable Handler<Command<?>> newHandler) {
        handler = newHandler;
        return runSoon();
    }

    @Override
    public CountingSource endHandler(@Nullable Handler<Void> newHandler) {
        endHandler = newHandler;
        return this;
    }

    @Override
    public CountingSource pause() {
        demand = 0;
        return this;
    }

    @Override
    public CountingSource resume() {
        demand = Long.MAX_VALUE;
        return runSoon();
    }

    @Override
    public CountingSource fetch(long amount) {
        demand = demand + amount < 0 ? Long.MAX_VALUE : demand + amount;
        return runSoon();
    }

    private CountingSource runSoon() {
        if (!running) {
            running = true;
            context.runOnContext(unused -> run());
        }
        return this;
    }

    private void run() {
        running = false;
        while (demand > 0 && handler != null && next < count) {
            demand -= demand == Long.MAX_VALUE ? 0 : 1;
            handler.handle(commands.apply(next++));
        }
        if (next == count && endHandler != null && !ended) {
            ended = true;
            endHandler.handle(null);
        }
    }
}
