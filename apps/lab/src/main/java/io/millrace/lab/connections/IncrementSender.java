// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.FlushingClient;
import io.millrace.lab.client.Operation;
import io.millrace.lab.server.Keyspace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends {@code INCR} over one client and counts the outcomes. Used by one thread.
 *
 * <p>The sender makes no object for a command: all commands share the operations and the callback.
 */
final class IncrementSender {

    /** Counters that are incremented in turn. */
    static final int KEYS = 1_000;

    private static final List<Operation> COMMANDS = IntStream.range(0, KEYS)
            .<Operation>mapToObj(n -> new Operation.Increment(key(n)))
            .toList();

    private final ClientAdapter adapter;
    private final Totals totals;
    private final Semaphore permits;
    private final boolean isLimited;
    private final BiConsumer<@Nullable Object, @Nullable Throwable> end;

    /** @param limit commands in flight at most; 0 for no limit except the limit of the client */
    IncrementSender(ClientAdapter adapter, Totals totals, int limit) {
        this.adapter = adapter;
        this.totals = totals;
        this.permits = new Semaphore(limit);
        this.isLimited = limit > 0;
        this.end = isLimited ? this::endAndRelease : (reply, failure) -> totals.end(failure);
    }

    private void endAndRelease(@Nullable Object reply, @Nullable Throwable failure) {
        totals.end(failure);
        permits.release();
    }

    static String key(int n) {
        return Keyspace.PREFIX + "counter:" + n;
    }

    /** Sends command {@code n} and waits for the reply. */
    void call(long n) throws InterruptedException {
        totals.issue();
        try {
            adapter.call(command(n));
            totals.end(null);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            totals.end(e);
        }
    }

    /** Sends command {@code n}; does not wait for the reply. */
    void send(long n) throws InterruptedException {
        send(n, end);
    }

    /** Sends command {@code n}. The callback blocks for {@code time} before the command counts as ended. */
    void sendAndBlock(long n, Duration time) throws Exception {
        send(n, (reply, failure) -> {
            LockSupport.parkNanos(time.toNanos());
            end.accept(reply, failure);
        });
        flush();
    }

    private void send(long n, BiConsumer<@Nullable Object, @Nullable Throwable> callback) throws InterruptedException {
        if (isLimited) {
            permits.acquire();
        }
        totals.issue();
        CompletionStage<? extends @Nullable Object> stage;
        try {
            stage = adapter.send(command(n));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            end.accept(null, e);
            return;
        }
        var unused = stage.whenComplete(callback);
    }

    private static Operation command(long n) {
        return COMMANDS.get((int) (n % KEYS));
    }

    /** Sends the commands that the client holds back. */
    void flush() throws Exception {
        if (adapter instanceof FlushingClient flushing) {
            flushing.flush();
        }
    }
}
