// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.FailureKind;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.recovery.Attempts.Attempt;
import io.millrace.lab.recovery.FaultyServer.Fault;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/**
 * The rounds of one library: callers at a steady rate, and one fault. Each round has a separate server and a separate client.
 * Each command increments a key of its own, so the keys tell how often each command was executed.
 *
 * <p>A caller that still waits when its next command is due leaves this command out. So a client that does not answer
 * is not flooded afterwards.
 */
final class RecoveryRounds implements ReadyWork {

    static final int CALLERS = 20;

    /** Time limit of a command. */
    static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Time for calls that have not returned, beyond their time limit. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Fewer acknowledged commands before the fault mean that the work did not run as planned. */
    private static final double LOWEST_SHARE = 0.2;

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(20);
    private static final int WARM_UP_CALLS = 100;
    private static final int KEYS_IN_ONE_READ = 1_000;

    private final Plan plan;
    private final Path folder;

    // Set by prepare() for each round.
    private @Nullable FaultyServer server;
    private @Nullable ClientAdapter client;
    private RoundDetails details = RoundDetails.NONE;

    /**
     * What happens in a round.
     *
     * @param perSecond commands per second of all callers together
     * @param before time before the fault
     * @param limit maximum time from the fault to the first success
     * @param after time after the first success
     */
    record Plan(
            ClientLibrary library,
            UsageMode mode,
            Fault fault,
            long perSecond,
            Duration before,
            Duration limit,
            Duration after)
            implements Work {

        @Override
        public ReadyWork open(WorkContext context) {
            return new RecoveryRounds(this, context.folder());
        }
    }

    private RecoveryRounds(Plan plan, Path folder) {
        this.plan = plan;
        this.folder = folder;
    }

    @Override
    public void prepare() throws Exception {
        close();
        FaultyServer started = new FaultyServer(plan.fault, folder);
        server = started;
        long startNanos = System.nanoTime();
        while (!isReady(started, System.nanoTime() - startNanos > OPEN_LIMIT.toNanos())) {
            Thread.sleep(50);
        }
    }

    /** Opens a client and sends some commands. In a cold JVM, the first connection may exceed the time limit. */
    private boolean isReady(FaultyServer started, boolean isLastTry) throws Exception {
        ClientAdapter opened = plan.mode.adapter().get();
        try {
            opened.open(Target.of(started.host(), started.port()).withTimeout(TIMEOUT));
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                opened.call(new Operation.Increment(Keyspace.PREFIX + "recovery:warm-up"));
            }
            client = opened;
            return true;
        } catch (Exception e) {
            opened.close();
            if (isLastTry) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public long run() throws Exception {
        if (server == null || client == null) {
            throw new IllegalStateException("prepare() must be called before run()");
        }
        var callers = new Callers(client);
        long startNanos = System.nanoTime();
        long faultNanos;
        try {
            callers.start();
            Thread.sleep(plan.before);
            faultNanos = server.fail();
            callers.attempts.awaitSuccessAfter(faultNanos, plan.limit);
            Thread.sleep(plan.after);
        } finally {
            callers.isStopped = true;
        }
        long endNanos = System.nanoTime();
        callers.await();
        details = details(callers, server, startNanos, faultNanos, endNanos);
        return details.outcomes().orElseThrow().ok();
    }

    private RoundDetails details(
            Callers callers, FaultyServer faulty, long startNanos, long faultNanos, long endNanos) {
        Attempts attempts = callers.attempts;
        long issued = callers.issued.get();
        long[] values = values(faulty, Math.toIntExact(issued));
        var executions = attempts.compare(number -> values[(int) number]);
        var outcomes = attempts.outcomes(issued - attempts.size());
        var first = attempts.secondsToFirstSuccess(faultNanos);
        double expected = plan.perSecond * (faultNanos - startNanos) / 1e9;
        long early = attempts.acknowledgedBefore(faultNanos);
        List<String> complaints = new ArrayList<>(callers.wrongReply.stream().toList());
        if (early < LOWEST_SHARE * expected) {
            complaints.add(
                    "too few commands succeeded before the fault: expected=" + expected + ", acknowledged=" + early);
        }
        RoundDetails measured = RoundDetails.NONE
                .withOutcomes(outcomes)
                .withComplaints(complaints)
                .withFigure("recoverySeconds", first.orElse((endNanos - faultNanos) / 1e9))
                .withFigure("longestGapSeconds", attempts.longestGapSeconds(endNanos))
                .withFigure("failed", (double) outcomes.failed())
                .withFigure("lost", (double) executions.lost())
                .withFigure("executedTwice", (double) executions.twice())
                .withFigure("failedButExecuted", (double) executions.unknown());
        return first.isPresent()
                ? measured
                : measured.withRemark("The client did not recover within " + (endNanos - faultNanos) / 1_000_000_000
                        + " s; the recovery takes longer than the figure says.");
    }

    /** The values of the keys of all commands, read without the client. */
    private static long[] values(FaultyServer server, int issued) {
        long[] values = new long[issued];
        try (Jedis jedis = server.connect()) {
            for (int from = 0; from < issued; from += KEYS_IN_ONE_READ) {
                int first = from;
                List<String> read = jedis.mget(IntStream.range(from, Math.min(issued, from + KEYS_IN_ONE_READ))
                        .mapToObj(RecoveryRounds::key)
                        .toArray(String[]::new));
                for (int i = 0; i < read.size(); i++) {
                    String value = read.get(i);
                    values[first + i] = value == null ? 0 : Long.parseLong(value);
                }
            }
        }
        return values;
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
        try (FaultyServer lastServer = server;
                ClientAdapter lastClient = client) {
            server = null;
            client = null;
        }
    }

    /** The callers of one round. */
    private final class Callers {

        private final ClientAdapter client;
        private final Attempts attempts = new Attempts();
        private final AtomicLong issued = new AtomicLong();
        private final List<Thread> threads = new ArrayList<>();

        private volatile boolean isStopped;
        private volatile Optional<String> wrongReply = Optional.empty();

        Callers(ClientAdapter client) {
            this.client = client;
        }

        void start() {
            long startNanos = System.nanoTime();
            long intervalNanos = Duration.ofSeconds(CALLERS).toNanos() / plan.perSecond;
            for (int i = 0; i < CALLERS; i++) {
                long firstNanos = startNanos + intervalNanos * i / CALLERS;
                threads.add(
                        Thread.ofVirtual().name("lab-caller").start(() -> callRepeatedly(firstNanos, intervalNanos)));
            }
        }

        private void callRepeatedly(long firstNanos, long intervalNanos) {
            long dueNanos = firstNanos;
            while (!isStopped && !Thread.currentThread().isInterrupted()) {
                long leftNanos = dueNanos - System.nanoTime();
                if (leftNanos > 0) {
                    LockSupport.parkNanos(leftNanos);
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
                failure = Optional.of(plan.library.failureKinds().apply(e));
            }
            attempts.add(new Attempt(number, startNanos, System.nanoTime(), failure));
        }

        /** Waits for calls that have not returned, then interrupts them. */
        void await() throws InterruptedException {
            long deadlineNanos = System.nanoTime() + TIMEOUT.plus(PATIENCE).toNanos();
            for (Thread thread : threads) {
                thread.join(Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
            }
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                if (!thread.join(PATIENCE)) {
                    throw new LabException("a call does not end: library=" + plan.library.name() + ", timeout="
                            + TIMEOUT + ". The library ignores its time limit and the interrupt.");
                }
            }
        }
    }
}
