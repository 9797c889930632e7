// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.BorrowingClient;
import io.millrace.lab.client.BorrowingClient.Borrowed;
import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import io.millrace.lab.server.LabException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to send a {@link CommandList}.
 *
 * @param note for the note of a contender
 * @param connections of a pool; 1 for one caller
 * @param waits whether each command waits for the reply to the command before
 */
record SendPattern(String note, int connections, boolean waits, Style style) {

    /** What the threads do. */
    @FunctionalInterface
    interface Style {

        /** Sends all commands, and checks all replies. */
        void send(ClientAdapter adapter, CommandList list) throws Exception;
    }

    /** Sends some commands at once, such as a pipeline of a client or of a borrowed connection. */
    @FunctionalInterface
    interface Batch {
        List<? extends @Nullable Object> send(List<Operation> commands) throws Exception;
    }

    /** One thread sends the commands one after the other. */
    static SendPattern oneByOne() {
        return new SendPattern("one thread waits for each reply", 1, true, (adapter, list) -> {
            for (int i = 0; i < list.size(); i++) {
                list.check(i, adapter.call(list.commands().get(i)));
            }
        });
    }

    /** One thread sends batches of {@code length}, one after the other. */
    static SendPattern batches(int length) {
        return new SendPattern("one thread sends batches of " + length, 1, false, (adapter, list) -> {
            for (int from = 0; from < list.size(); from += length) {
                batch(list, from, Math.min(from + length, list.size()), adapter::batch);
            }
        });
    }

    /** One thread sends all commands at once. */
    static SendPattern oneBatch() {
        return new SendPattern(
                "one thread sends all commands in one batch",
                1,
                false,
                (adapter, list) -> batch(list, 0, list.size(), adapter::batch));
    }

    /** Threads share one client. Each thread waits for each reply. */
    static SendPattern callers(int callers) {
        return new SendPattern(
                callers + " virtual threads share one client and wait for each reply",
                callers,
                true,
                (adapter, list) -> ConcurrentCallers.run(ThreadKind.VIRTUAL, callers, caller -> {
                    for (int i = caller; i < list.size(); i += callers) {
                        list.check(i, adapter.call(list.commands().get(i)));
                    }
                }));
    }

    /** Each thread borrows a connection once. With fewer connections than threads, the other threads wait. */
    static SendPattern kept(int threads, int pool) {
        return new SendPattern(
                threads + " threads, pool of " + pool + ", each thread keeps its connection",
                pool,
                true,
                (adapter, list) -> ConcurrentCallers.run(ThreadKind.PLATFORM, threads, thread -> {
                    try (Borrowed connection = pool(adapter).borrow()) {
                        for (int i = first(list, thread, threads); i < first(list, thread + 1, threads); i++) {
                            list.check(i, connection.call(list.commands().get(i)));
                        }
                    }
                }));
    }

    /** Each thread borrows a connection for each command. */
    static SendPattern returned(int threads, int pool) {
        return new SendPattern(
                threads + " threads, pool of " + pool + ", the connection is returned after each command",
                pool,
                true,
                (adapter, list) -> ConcurrentCallers.run(ThreadKind.PLATFORM, threads, thread -> {
                    for (int i = first(list, thread, threads); i < first(list, thread + 1, threads); i++) {
                        try (Borrowed connection = pool(adapter).borrow()) {
                            list.check(i, connection.call(list.commands().get(i)));
                        }
                    }
                }));
    }

    /** Each thread borrows a connection for each pipeline. */
    static SendPattern pipelined(int threads, int pool, int length) {
        return new SendPattern(
                threads + " threads, pool of " + pool + ", pipelines of " + length,
                pool,
                false,
                (adapter, list) -> ConcurrentCallers.run(ThreadKind.PLATFORM, threads, thread -> {
                    int end = first(list, thread + 1, threads);
                    for (int from = first(list, thread, threads); from < end; from += length) {
                        try (Borrowed connection = pool(adapter).borrow()) {
                            batch(list, from, Math.min(from + length, end), connection::batch);
                        }
                    }
                }));
    }

    static BorrowingClient pool(ClientAdapter adapter) {
        if (adapter instanceof BorrowingClient borrowing) {
            return borrowing;
        }
        throw new LabException("a client with the capability BORROW must implement BorrowingClient: class="
                + adapter.getClass().getName());
    }

    /** The first command of {@code thread}. Each thread has a separate slice. */
    private static int first(CommandList list, int thread, int threads) {
        return (int) ((long) list.size() * thread / threads);
    }

    /** Sends the commands from {@code from} up to {@code to}, without {@code to}, and checks the replies. */
    private static void batch(CommandList list, int from, int to, Batch batch) throws Exception {
        List<? extends @Nullable Object> replies = batch(list.commands().subList(from, to), batch);
        for (int i = 0; i < replies.size(); i++) {
            list.check(from + i, replies.get(i));
        }
    }

    /** Sends {@code commands} at once, and returns a reply for each command. */
    static List<? extends @Nullable Object> batch(List<Operation> commands, Batch batch) throws Exception {
        List<? extends @Nullable Object> replies = batch.send(commands);
        if (replies.size() != commands.size()) {
            throw new LabException("a batch has too few or too many replies: commands=" + commands.size() + ", replies="
                    + replies.size());
        }
        return replies;
    }
}
