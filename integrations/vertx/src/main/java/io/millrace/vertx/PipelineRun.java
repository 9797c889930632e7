// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that is running: collects the results of its commands. The threads that complete the commands call this
 * object; the last of them completes the promise.
 */
final class PipelineRun<T> {

    private final Promise<List<Result<T>>> promise;
    private final List<Command<T>> commands;
    private final AtomicReferenceArray<Result<T>> results;
    private final AtomicInteger left;

    @SuppressWarnings("unchecked") // a command only returns values of its type
    PipelineRun(Promise<List<Result<T>>> promise, List<? extends Command<? extends T>> commands) {
        this.promise = promise;
        this.commands = (List<Command<T>>) List.copyOf(commands);
        this.results = new AtomicReferenceArray<>(this.commands.size());
        this.left = new AtomicInteger(this.commands.size());
        if (this.commands.isEmpty()) {
            promise.complete(List.of());
        }
    }

    int size() {
        return commands.size();
    }

    Command<T> command(int index) {
        return commands.get(index);
    }

    /** Returns a copy of a command whose value is the reply: the caller of {@link Result#value} decodes it. */
    Command<Reply> undecoded(int index) {
        return commands.get(index).as(Function.identity());
    }

    /** Returns the receiver of the end of a command. */
    BiConsumer<Reply, @Nullable Throwable> receiver(int index, @Nullable CommandReport report) {
        return (reply, failure) -> {
            if (report != null) {
                report.ended(failure);
            }
            if (failure == null || failure instanceof RedisException) {
                ended(index, new CommandResult<>(commands.get(index), reply, (RedisException) failure));
            } else {
                promise.tryFail(failure);
            }
        };
    }

    private void ended(int index, Result<T> result) {
        results.set(index, result);
        if (left.decrementAndGet() == 0) {
            List<Result<T>> all = new ArrayList<>(commands.size());
            for (int i = 0; i < commands.size(); i++) {
                all.add(results.get(i));
            }
            promise.complete(List.copyOf(all));
        }
    }

    Future<List<Result<T>>> future() {
        return promise.future();
    }
}
