// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.experiment.Outcomes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The commands of one round. Each command increments a separate key once. Safe for any thread. */
final class Attempts {

    private static final Duration POLL = Duration.ofMillis(10);

    /**
     * One command that has ended.
     *
     * @param number number of the command, which is part of its key
     * @param startNanos when the caller called the client
     * @param endNanos when the call returned
     * @param failure empty if the server has acknowledged the command
     */
    record Attempt(long number, long startNanos, long endNanos, Optional<FailureKind> failure) {
        boolean isAcknowledged() {
            return failure.isEmpty();
        }
    }

    /**
     * What the server knows about the commands.
     *
     * @param lost acknowledged, but not executed
     * @param twice executed more than once
     * @param unknown failed, but executed
     */
    record Executions(long lost, long twice, long unknown) {}

    private final Queue<Attempt> ended = new ConcurrentLinkedQueue<>();

    /** The latest start of a command that has succeeded. */
    private final AtomicLong latestSuccessNanos = new AtomicLong(System.nanoTime());

    void add(Attempt attempt) {
        ended.add(attempt);
        if (attempt.isAcknowledged()) {
            latestSuccessNanos.accumulateAndGet(
                    attempt.startNanos(), (latest, start) -> start - latest > 0 ? start : latest);
        }
    }

    /** Waits for the success of a command that starts after {@code nanos}, for {@code limit} at most. */
    void awaitSuccessAfter(long nanos, Duration limit) throws InterruptedException {
        long callNanos = System.nanoTime();
        while (latestSuccessNanos.get() - nanos <= 0 && System.nanoTime() - callNanos < limit.toNanos()) {
            Thread.sleep(POLL);
        }
    }

    int size() {
        return ended.size();
    }

    /** {@code unfinished} commands have no outcome at the end of the round, and count as lost connections. */
    Outcomes outcomes(long unfinished) {
        Map<FailureKind, Long> counts = ended.stream()
                .flatMap(attempt -> attempt.failure().stream())
                .collect(Collectors.groupingBy(kind -> kind, Collectors.counting()));
        return new Outcomes(
                ended.stream().filter(Attempt::isAcknowledged).count(),
                counts.getOrDefault(FailureKind.ERROR, 0L),
                counts.getOrDefault(FailureKind.TIMED_OUT, 0L),
                counts.getOrDefault(FailureKind.REFUSED, 0L),
                counts.getOrDefault(FailureKind.LOST, 0L) + unfinished);
    }

    long acknowledgedBefore(long nanos) {
        return ended.stream()
                .filter(attempt -> attempt.isAcknowledged() && attempt.endNanos() - nanos < 0)
                .count();
    }

    /** Time from the fault to the first reply to a command that was started after the fault; empty if there is none. */
    OptionalDouble secondsToFirstSuccess(long faultNanos) {
        return ended.stream()
                .filter(attempt -> attempt.isAcknowledged() && attempt.startNanos() - faultNanos > 0)
                .mapToDouble(attempt -> (attempt.endNanos() - faultNanos) / 1e9)
                .min();
    }

    /** The longest time without a success, from the first success to {@code endNanos}. */
    double longestGapSeconds(long endNanos) {
        long[] times = LongStream.concat(
                        ended.stream().filter(Attempt::isAcknowledged).mapToLong(Attempt::endNanos),
                        LongStream.of(endNanos))
                .sorted()
                .toArray();
        return IntStream.range(1, times.length)
                        .mapToLong(i -> times[i] - times[i - 1])
                        .max()
                        .orElse(0)
                / 1e9;
    }

    /** Compares with the values on the server. {@code executions} tells the value of the key of each command. */
    Executions compare(LongUnaryOperator executions) {
        long lost = 0;
        long twice = 0;
        long unknown = 0;
        for (Attempt attempt : ended) {
            long times = executions.applyAsLong(attempt.number());
            lost += attempt.isAcknowledged() && times == 0 ? 1 : 0;
            twice += times > 1 ? 1 : 0;
            unknown += !attempt.isAcknowledged() && times > 0 ? 1 : 0;
        }
        return new Executions(lost, twice, unknown);
    }
}
