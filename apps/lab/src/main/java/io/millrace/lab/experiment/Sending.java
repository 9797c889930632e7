// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Counters;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.News;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A library that is given one kind of traffic for a time, whose length in milliseconds is the number of operations. */
record Sending(Counters.Source source, Traffic traffic) implements WarmContender {

    /** How long is waited for what is pending when nothing more is issued. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The longest: calls that wait may take long. In short rounds it is a part of them, or it would take as long as they do. */
    private static final Duration WARM_UP_TIME = Duration.ofSeconds(1);

    private static final int WARM_UP_PART = 4;
    /** Whether this JVM has been warmed up, for whichever variant. */
    private static final AtomicBoolean WARM = new AtomicBoolean();

    private static final int WARM_UP_COMMANDS = 20_000;

    /** Fewer than any library has a bound for. */
    private static final int WARM_UP_IN_FLIGHT = 500;

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return traffic.name();
    }

    @Override
    public String jvm() {
        return name();
    }

    /** A flood has a JVM of its own, which ends with the round: what it leaves in the heap is nobody else's business. */
    @Override
    public boolean isFreshEachRound() {
        return traffic.isFlood();
    }

    @Override
    public String note() {
        return traffic.note() + "; " + source.note() + "; a heap of 1 GB";
    }

    /** Whether nothing but the bound of what may be in flight holds it back where the server is far away. */
    boolean isLimitedByWindow() {
        return source.inFlight() > 0 && traffic.isFlood();
    }

    /** Commands in flight at most, of all its clients. */
    int window() {
        return source.inFlight() * traffic.clients();
    }

    /** The same for all: what has no bound of its own shall not have the machine's memory. */
    @Override
    public List<String> jvmOptions() {
        return List.of("-Xmx1g");
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new SendingRounds(this, task.endpoint(), Duration.ofMillis(task.operations()));
    }

    /** Its clients are opened anew for each round: nothing that is pending from the last one may spoil it. */
    private static final class SendingRounds implements Rounds {

        private final Sending sending;
        private final Endpoint endpoint;
        private final Duration time;
        private final List<Counters> clients = new ArrayList<>();
        private Totals totals = new Totals();
        private Consumer<News> listener = news -> {};

        SendingRounds(Sending sending, Endpoint endpoint, Duration time) throws Exception {
            this.sending = sending;
            this.endpoint = endpoint;
            this.time = time;
            prepare();
            if (WARM.compareAndSet(false, true)) {
                warmUp();
            }
        }

        @Override
        public void prepare() throws Exception {
            close();
            clients.clear();
            for (int i = 0; i < sending.traffic.clients(); i++) {
                clients.add(sending.source.opener().open(endpoint, sending.traffic.timeout(time)));
            }
        }

        /** Compiles what matters: a few commands at a time, of which none fails. */
        private void warmUp() throws Exception {
            if (sending.source.asynchronous()) {
                warmUpBySending();
            } else {
                Traffic.callInTurn(clients, new Totals(), warmUpTime());
            }
        }

        private Duration warmUpTime() {
            var part = time.dividedBy(WARM_UP_PART);
            return part.compareTo(WARM_UP_TIME) < 0 ? part : WARM_UP_TIME;
        }

        private void warmUpBySending() throws InterruptedException {
            var warm = new Totals();
            long start = System.nanoTime();
            for (int n = 0;
                    n < WARM_UP_COMMANDS
                            && System.nanoTime() - start < warmUpTime().toNanos();
                    n++) {
                warm.issue();
                clients.get(n % clients.size()).send(Traffic.key(n), warm::settle);
                if ((n + 1) % WARM_UP_IN_FLIGHT == 0) {
                    awaitAll(warm);
                }
            }
            awaitAll(warm);
        }

        @Override
        public void watch(Consumer<News> news) {
            listener = news;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            totals = new Totals();
            var mine = totals;
            var second = new int[1];
            try (var clock = Executors.newSingleThreadScheduledExecutor()) {
                var ticks = clock.scheduleAtFixedRate(
                        () -> listener.accept(mine.since(++second[0])), 1, 1, TimeUnit.SECONDS);
                sending.traffic.run(clients, mine, time);
                awaitAll(mine);
                ticks.cancel(false);
            }
            listener.accept(mine.since(++second[0])); // what is left of the last second; the clock's thread has ended
            var outcomes = mine.outcomes();
            return Optional.of(new Outcomes(
                    outcomes.ok(),
                    outcomes.error(),
                    outcomes.timedOut(),
                    outcomes.refused(),
                    outcomes.lost() + mine.pending()));
        }

        private static void awaitAll(Totals totals) throws InterruptedException {
            long start = System.nanoTime();
            while (totals.pending() > 0 && System.nanoTime() - start < PATIENCE.toNanos()) {
                LockSupport.parkNanos(1_000_000);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        /** What was acknowledged: by that the rate is reckoned. */
        @Override
        public Map<String, Double> figures() {
            return Map.of(
                    Measured.OPERATIONS,
                    (double) totals.outcomes().ok(),
                    "issued",
                    (double) totals.issued(),
                    "pendingAtTheEnd",
                    (double) totals.pending());
        }

        /** Whatever is still pending is not to reach the server while others are measured. */
        @Override
        public void finish() throws Exception {
            close();
            clients.clear();
        }

        @Override
        public void close() throws Exception {
            for (var client : clients) {
                client.close();
            }
        }
    }
}
