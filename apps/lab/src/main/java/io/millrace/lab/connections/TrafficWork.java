// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Issues increments for a given time, and counts the outcomes of each second.
 *
 * @param clients number of clients, each with one connection and one thread
 * @param limit commands in flight of one client, which the caller limits by a semaphore; 0 without a semaphore
 * @param rate commands per second of one client, for {@link TrafficKind#STEADY}
 */
record TrafficWork(LibraryMode mode, TrafficKind kind, int clients, int limit, long rate, Duration time)
        implements Work {

    private static final Duration WARM_UP_TIME = Duration.ofSeconds(1);
    private static final int WARM_UP_COMMANDS = 20_000;

    /** Fewer than the limit of any library. */
    private static final int WARM_UP_IN_FLIGHT = 500;

    static final String ISSUED = "issued";
    static final String PENDING = "pendingAtTheEnd";

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Ready ready = new Ready(this, context);
        ready.prepare();
        ready.warmUp();
        return ready;
    }

    /**
     * The counters on the server hold every increment that succeeded, and no increment that was not issued. Each issued
     * increment has one outcome.
     */
    static ServerUse serverUse() {
        return ServerUse.checkedBy((server, sample) -> {
            double issued = sample.details().figures().getOrDefault(ISSUED, 0.0);
            Outcomes outcomes = sample.details().outcomes().orElse(Outcomes.NONE);
            return complaints(sum(server), outcomes, Math.round(issued));
        });
    }

    static List<String> complaints(long sum, Outcomes outcomes, long issued) {
        List<String> complaints = new ArrayList<>();
        if (sum < outcomes.ok() || sum > issued) {
            complaints.add(
                    "increments: succeeded=" + outcomes.ok() + ", issued=" + issued + ", in the counters=" + sum);
        }
        if (outcomes.total() != issued) {
            complaints.add("outcomes: expected=" + issued + ", found=" + outcomes.total() + ", outcomes=" + outcomes);
        }
        return complaints;
    }

    private static long sum(RedisServer server) {
        List<String> keys = IntStream.range(0, IncrementSender.KEYS)
                .mapToObj(IncrementSender::key)
                .toList();
        return server.values(keys).stream()
                .mapToLong(value -> value == null ? 0 : Long.parseLong(value))
                .sum();
    }

    /** Opens new clients for each round, so no command of the last round is pending. */
    private static final class Ready implements ReadyWork {

        private final TrafficWork work;
        private final WorkContext context;
        private final List<ClientAdapter> adapters = new ArrayList<>();
        private Totals.Snapshot end = Totals.Snapshot.NONE;
        private Consumer<ProgressEvent> listener = event -> {};

        Ready(TrafficWork work, WorkContext context) {
            this.work = work;
            this.context = context;
        }

        private Totals newTotals() {
            return new Totals(work.mode.library().failureKinds());
        }

        @Override
        public void prepare() throws Exception {
            close();
            for (int i = 0; i < work.clients; i++) {
                adapters.add(work.mode.mode().open(target()));
            }
        }

        /** The limit of the client is not below the limit of the caller. */
        private Target target() {
            Target target = context.target().withTimeout(work.kind.timeLimit(work.time));
            return work.limit == 0 ? target : target.withInFlight(work.limit);
        }

        /** Sends so few commands at a time that no command fails. */
        void warmUp() throws Exception {
            Totals warm = newTotals();
            IncrementSender sender = new IncrementSender(adapters.getFirst(), warm, 0);
            Duration quarter = work.time.dividedBy(4);
            Duration most = quarter.compareTo(WARM_UP_TIME) < 0 ? quarter : WARM_UP_TIME;
            if (work.kind == TrafficKind.SYNCHRONOUS) {
                work.kind.issue(sender, most, 0);
                return;
            }
            long start = System.nanoTime();
            for (int n = 0; n < WARM_UP_COMMANDS && System.nanoTime() - start < most.toNanos(); n++) {
                sender.send(n);
                if ((n + 1) % WARM_UP_IN_FLIGHT == 0) {
                    sender.flush();
                    awaitAll(warm);
                }
            }
            sender.flush();
            awaitAll(warm);
        }

        @Override
        public void watch(Consumer<ProgressEvent> newListener) {
            listener = newListener;
        }

        @Override
        public long run() throws Exception {
            Totals round = newTotals();
            int[] second = new int[1];
            try (var clock = Executors.newSingleThreadScheduledExecutor()) {
                var ticks = clock.scheduleAtFixedRate(
                        () -> listener.accept(round.since(++second[0])), 1, 1, TimeUnit.SECONDS);
                try {
                    ConcurrentCallers.run(
                            ThreadKind.PLATFORM, adapters.size(), caller -> issue(adapters.get(caller), round));
                    awaitAll(round);
                } finally {
                    ticks.cancel(false);
                }
            }
            end = round.snapshot();
            listener.accept(round.since(++second[0])); // the rest; the thread of the clock has ended
            return end.outcomes().ok();
        }

        private void issue(ClientAdapter adapter, Totals round) throws Exception {
            IncrementSender sender = new IncrementSender(adapter, round, work.limit);
            work.kind.issue(sender, work.time, work.rate);
            sender.flush();
        }

        private void awaitAll(Totals totals) throws InterruptedException {
            long patience = work.kind.patience(work.time).toNanos();
            long start = System.nanoTime();
            while (totals.pending() > 0 && System.nanoTime() - start < patience) {
                LockSupport.parkNanos(1_000_000);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        /**
         * A command that is pending at the end of the round is lost. The clients end, so nothing reaches the server
         * later. The end of a client completes the pending commands, too: those outcomes do not count again.
         */
        @Override
        public RoundDetails details() throws Exception {
            close();
            return RoundDetails.NONE
                    .withOutcomes(end.outcomes().plus(new Outcomes(0, 0, 0, 0, Math.max(0, end.pending()))))
                    .withFigure(ISSUED, (double) end.issued())
                    .withFigure(PENDING, (double) end.pending());
        }

        @Override
        public void close() throws Exception {
            for (ClientAdapter adapter : adapters) {
                adapter.close();
            }
            adapters.clear();
        }
    }
}
