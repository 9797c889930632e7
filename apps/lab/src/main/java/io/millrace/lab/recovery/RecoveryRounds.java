// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.FailureKind;
import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.recovery.Attempts.Attempt;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/**
 * The rounds of one library. Each round has a separate server and a separate client.
 *
 * <p>A caller that still waits when its next command is due leaves this command out. So a client that does not answer
 * is not flooded afterwards.
 */
final class RecoveryRounds implements ReadyWork {

    /** Time for calls that have not returned, beyond their time limit. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Fewer acknowledged commands before the fault mean that the work did not run as planned. */
    private static final double LOWEST_SHARE = 0.2;

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(20);
    private static final Duration OPEN_PAUSE = Duration.ofMillis(50);
    private static final int WARM_UP_CALLS = 100;
    private static final int KEYS_IN_ONE_READ = 1_000;

    private final RecoveryWork work;
    private final Path folder;

    // Set by prepare() for each round.
    private @Nullable FaultyServer server;
    private @Nullable ClientAdapter client;
    private RoundDetails details = RoundDetails.NONE;

    RecoveryRounds(RecoveryWork work, Path folder) {
        this.work = work;
        this.folder = folder;
    }

    @Override
    public void prepare() throws Exception {
        close();
        FaultyServer started = new FaultyServer(work.fault(), folder);
        server = started;
        long deadlineNanos = System.nanoTime() + OPEN_LIMIT.toNanos();
        while (!isReady(started, deadlineNanos)) {
            Thread.sleep(OPEN_PAUSE);
        }
    }

    /** Opens a client and sends some commands. In a cold JVM, the first connection may exceed the time limit. */
    private boolean isReady(FaultyServer started, long deadlineNanos) throws Exception {
        ClientAdapter opened = work.mode().adapter().get();
        try {
            opened.open(work.target(started));
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                opened.call(new Operation.Increment(Keyspace.PREFIX + "recovery:warm-up"));
            }
            client = opened;
            return true;
        } catch (Exception e) {
            opened.close();
            if (System.nanoTime() - deadlineNanos > 0) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public long run() throws Exception {
        FaultyServer faulty = server;
        ClientAdapter called = client;
        if (faulty == null || called == null) {
            throw new IllegalStateException("prepare() must be called before run()");
        }
        var round = new Round(called);
        long startNanos = System.nanoTime();
        round.start();
        long faultNanos;
        try {
            Thread.sleep(work.before());
            faultNanos = faulty.fail();
            Thread.sleep(work.after());
        } finally {
            round.stop();
        }
        long endNanos = System.nanoTime();
        long unfinished = round.await(work.timeout().plus(PATIENCE));
        details = details(round, faulty, startNanos, faultNanos, endNanos, unfinished);
        return round.attempts.outcomes(unfinished).ok();
    }

    private RoundDetails details(
            Round round, FaultyServer faulty, long startNanos, long faultNanos, long endNanos, long unfinished) {
        Attempts attempts = round.attempts;
        var executions = attempts.compare(executions(faulty, round.issued.get()));
        var first = attempts.secondsToFirstSuccess(faultNanos);
        long expected = work.perSecond()
                * (faultNanos - startNanos)
                / Duration.ofSeconds(1).toNanos();
        long early = attempts.acknowledgedBefore(faultNanos);
        List<String> complaints = new ArrayList<>(round.complaints());
        if (early < LOWEST_SHARE * expected) {
            complaints.add(
                    "too few commands succeeded before the fault: expected=" + expected + ", acknowledged=" + early);
        }
        RoundDetails measured = RoundDetails.NONE
                .withOutcomes(attempts.outcomes(unfinished))
                .withComplaints(complaints)
                .withFigure("recoverySeconds", first.orElse((endNanos - faultNanos) / 1e9))
                .withFigure("longestGapSeconds", attempts.longestGapSeconds(endNanos))
                .withFigure("failed", (double) attempts.outcomes(unfinished).failed())
                .withFigure("lost", (double) executions.lost())
                .withFigure("executedTwice", (double) executions.twice())
                .withFigure("failedButExecuted", (double) executions.unknown());
        return first.isPresent()
                ? measured
                : measured.withRemark(
                        "No command succeeded in the " + work.after().toMillis()
                                + " ms after the fault; the recovery takes longer than the figure says.");
    }

    /** Reads all keys, without the client. */
    private static LongUnaryOperator executions(FaultyServer server, long issued) {
        long[] values = new long[Math.toIntExact(issued)];
        try (Jedis jedis = server.connect()) {
            for (int from = 0; from < issued; from += KEYS_IN_ONE_READ) {
                int to = (int) Math.min(issued, from + KEYS_IN_ONE_READ);
                String[] keys = new String[to - from];
                for (int i = from; i < to; i++) {
                    keys[i - from] = key(i);
                }
                List<String> read = jedis.mget(keys);
                for (int i = from; i < to; i++) {
                    String value = read.get(i - from);
                    values[i] = value == null ? 0 : Long.parseLong(value);
                }
            }
        }
        return number -> values[(int) number];
    }

    private static String key(long number) {
        return Keyspace.PREFIX + "recovery:" + number;
    }

    @Override
    public RoundDetails details() throws Exception {
        close();
        return details;
    }

    @Override
    public void close() throws Exception {
        ClientAdapter opened = client;
        FaultyServer started = server;
        client = null;
        server = null;
        try {
            if (opened != null) {
                opened.close();
            }
        } finally {
            if (started != null) {
                started.close();
            }
        }
    }

    /** The callers of one round. */
    private final class Round {

        private final ClientAdapter client;
        private final Attempts attempts = new Attempts();
        private final AtomicLong issued = new AtomicLong();
        private final List<Thread> callers = new ArrayList<>();

        private volatile boolean isStopped;
        private volatile Optional<String> wrongReply = Optional.empty();

        Round(ClientAdapter client) {
            this.client = client;
        }

        void start() {
            long startNanos = System.nanoTime();
            long intervalNanos = work.interval().toNanos();
            for (int i = 0; i < work.callers(); i++) {
                long firstNanos = startNanos + intervalNanos * i / work.callers();
                callers.add(
                        Thread.ofVirtual().name("lab-caller").start(() -> callRepeatedly(firstNanos, intervalNanos)));
            }
        }

        private void callRepeatedly(long firstNanos, long intervalNanos) {
            for (long dueNanos = firstNanos; !isStopped; ) {
                long nowNanos = System.nanoTime();
                if (dueNanos - nowNanos > 0) {
                    LockSupport.parkNanos(dueNanos - nowNanos);
                    if (Thread.interrupted()) {
                        return;
                    }
                } else {
                    call();
                    long missed = Math.max(0, (System.nanoTime() - dueNanos) / intervalNanos);
                    dueNanos += (missed + 1) * intervalNanos;
                }
            }
        }

        private void call() {
            long number = issued.getAndIncrement();
            long startNanos = System.nanoTime();
            Optional<FailureKind> failure = Optional.empty();
            try {
                Object reply = client.call(new Operation.Increment(key(number)));
                if (!(reply instanceof Long value && value >= 1)) {
                    wrongReply = Optional.of("wrong reply to INCR: reply=" + reply);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (Exception e) {
                failure = Optional.of(work.library().failureKinds().apply(e));
            }
            attempts.add(new Attempt(number, startNanos, System.nanoTime(), failure));
        }

        void stop() {
            isStopped = true;
        }

        /** Waits for calls that have not returned, then interrupts them. Returns the number of commands without end. */
        long await(Duration limit) throws InterruptedException {
            long deadlineNanos = System.nanoTime() + limit.toNanos();
            for (Thread caller : callers) {
                caller.join(Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
            }
            callers.forEach(Thread::interrupt);
            for (Thread caller : callers) {
                if (!caller.join(PATIENCE)) {
                    throw new LabException(
                            "a call does not end: library=" + work.library().name() + ", timeout=" + work.timeout()
                                    + ". The library ignores its time limit and the interrupt.");
                }
            }
            return issued.get() - attempts.all().size();
        }

        List<String> complaints() {
            return wrongReply.stream().toList();
        }
    }
}
