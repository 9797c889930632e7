// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.FlushingClient;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands of {@link PairData} and checks each reply. The program is the same for every client.
 *
 * @param data makes the data, once for each process
 * @param commandsPerCaller number of commands of each caller in one unit
 * @param sending how the commands are sent
 */
record PairWork(LibraryMode mode, DataSource data, long commandsPerCaller, Sending sending) implements Work {

    /** Makes the data of a scenario. */
    @FunctionalInterface
    interface DataSource {
        PairData create();
    }

    /** A way to send. */
    interface Sending {

        /** The settings that this way to send needs. */
        default Target target(UsageMode mode, Target target, int callers) {
            return mode.sizedFor(target, callers);
        }

        /** Sends the next {@code commands} of each caller; returns when all replies are checked. */
        void send(ClientAdapter adapter, List<PairData.Walk> callers, long commands) throws Exception;
    }

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        PairData pairs = data.create();
        Target target = sending.target(mode.mode(), context.target(), pairs.callers());
        return new Ready(mode.mode().open(target), pairs, commandsPerCaller, sending);
    }

    private static final class Ready implements ReadyWork {

        private final ClientAdapter adapter;
        private final FusedFigures fused;
        private final PairData data;
        private final long commands;
        private final Sending sending;
        private List<PairData.Walk> callers = List.of();

        Ready(ClientAdapter adapter, PairData data, long commands, Sending sending) {
            this.adapter = adapter;
            this.fused = new FusedFigures(adapter);
            this.data = data;
            this.commands = commands;
            this.sending = sending;
        }

        @Override
        public void prepare() {
            callers = IntStream.range(0, data.callers()).mapToObj(data::walk).toList();
            fused.begin();
        }

        @Override
        public long run() throws Exception {
            sending.send(adapter, callers, commands);
            return commands * callers.size();
        }

        @Override
        public RoundDetails details() {
            return fused.details();
        }

        @Override
        public void close() throws Exception {
            adapter.close();
        }
    }

    /** Callers on separate threads. Each caller waits for each reply. */
    static Sending calls(ThreadKind threads) {
        return (adapter, callers, commands) -> ConcurrentCallers.run(threads, callers.size(), caller -> {
            PairData.Walk walk = callers.get(caller);
            for (long n = 0; n < commands; n++) {
                walk.check(adapter.call(walk.next().command()));
            }
        });
    }

    /** One thread that sends batches of {@code length}, one after the other. */
    static Sending batches(int length) {
        return (adapter, callers, commands) -> {
            PairData.Walk walk = callers.getFirst();
            for (long left = commands; left > 0; left -= length) {
                sendBatch(adapter, walk, (int) Math.min(length, left));
            }
        };
    }

    private static void sendBatch(ClientAdapter adapter, PairData.Walk walk, int length) throws Exception {
        PairData.Walk replies = walk.copy();
        List<Operation> commands = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            commands.add(walk.next().command());
        }
        List<? extends @Nullable Object> batch = SendPattern.batch(commands, adapter::batch);
        for (Object reply : batch) {
            replies.next().check(reply);
        }
    }

    /**
     * One thread that does not wait for the reply of the last command. While {@code window} commands are in flight, the
     * thread waits for the oldest reply before the thread sends the next command.
     */
    static Sending window(int window) {
        return new WindowSending(window);
    }

    private record WindowSending(int window) implements Sending {

        @Override
        public Target target(UsageMode mode, Target target, int callers) {
            return target.withInFlight(window);
        }

        @Override
        public void send(ClientAdapter adapter, List<PairData.Walk> callers, long commands) throws Exception {
            PairData.Walk walk = callers.getFirst();
            PairData.Walk replies = walk.copy();
            ArrayDeque<CompletableFuture<?>> pending = new ArrayDeque<>(window);
            for (long n = 0; n < commands; n++) {
                if (pending.size() == window) {
                    replies.next().check(pending.remove().join());
                }
                if (n % window == window / 2) {
                    flush(adapter); // so a command is held back for half a window at most
                }
                pending.add(future(adapter.send(walk.next().command())));
            }
            flush(adapter);
            while (!pending.isEmpty()) {
                replies.next().check(pending.remove().join());
            }
        }

        private static CompletableFuture<?> future(CompletionStage<?> stage) {
            return stage.toCompletableFuture();
        }

        private static void flush(ClientAdapter adapter) throws Exception {
            if (adapter instanceof FlushingClient flushing) {
                flushing.flush();
            }
        }
    }
}
