// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.experiment.Outcomes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/** The commands of one round. Each command increments a separate key once. Safe for any thread. */
final class Attempts {

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

    private final ConcurrentLinkedQueue<Attempt> ended = new ConcurrentLinkedQueue<>();

    void add(Attempt attempt) {
        ended.add(attempt);
    }

    List<Attempt> all() {
        return List.copyOf(ended);
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
        OptionalLong first = ended.stream()
                .filter(attempt -> attempt.isAcknowledged() && attempt.startNanos() - faultNanos > 0)
                .mapToLong(attempt -> attempt.endNanos() - faultNanos)
                .min();
        return first.isPresent() ? OptionalDouble.of(first.getAsLong() / 1e9) : OptionalDouble.empty();
    }

    /** The longest time without a success, from the first success to {@code endNanos}. */
    double longestGapSeconds(long endNanos) {
        List<Long> times = new ArrayList<>(ended.stream()
                .filter(Attempt::isAcknowledged)
                .map(Attempt::endNanos)
                .sorted(Comparator.naturalOrder())
                .toList());
        times.add(endNanos);
        long longest = 0;
        for (int i = 1; i < times.size(); i++) {
            longest = Math.max(longest, times.get(i) - times.get(i - 1));
        }
        return longest / 1e9;
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
