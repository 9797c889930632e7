// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * Whether the moments of a run are such as the scenario's waits permit.
 *
 * <p>What can be known is the latest moment at which a task began: its end less its wait. So nobody is blamed for
 * threads that were woken late, and whoever waits less, begins sooner or has more consumers than it says is found out.
 */
final class Timing {

    /** Clocks that end waits, and the one that is read here, need not tick together. */
    private static final long TOLERANCE_NANOS = 100_000;

    private final Scenario scenario;
    private final long[] producedAt;
    private final long[] consumedAt;

    /**
     * Of one run.
     *
     * @param producedAt nanoseconds since the start, by batch
     * @param consumedAt the same, by task
     */
    Timing(Scenario scenario, long[] producedAt, long[] consumedAt) {
        this.scenario = scenario;
        this.producedAt = producedAt;
        this.consumedAt = consumedAt;
    }

    List<String> complaints() {
        var complaints = new ArrayList<String>();
        complaints.addAll(productions());
        complaints.addAll(beginnings());
        complaints.addAll(consumersAtOnce());
        return complaints;
    }

    /** Within one wait no more batches than there are producers, whichever of them it was. */
    private List<String> productions() {
        var moments = producedAt.clone();
        Arrays.sort(moments);
        int producers = scenario.producers();
        long least = scenario.produce().toNanos() - TOLERANCE_NANOS;
        return IntStream.range(0, moments.length)
                .filter(i -> moments[i] - (i < producers ? 0 : moments[i - producers]) < least)
                .mapToObj(i -> "a batch was produced sooner than its producer's wait permits: number=" + (i + 1)
                        + " in the order of time, produced after " + millis(moments[i]) + ", producers=" + producers
                        + ", wait=" + millis(scenario.produce().toNanos()))
                .limit(1)
                .toList();
    }

    private List<String> beginnings() {
        var early = IntStream.range(0, scenario.tasks())
                .filter(task -> begunAt(task) < producedAt[task / scenario.batch()] - TOLERANCE_NANOS)
                .toArray();
        return early.length == 0
                ? List.of()
                : List.of("tasks were consumed sooner than their waits permit: tasks=" + early.length
                        + ", the first: task=" + early[0] + ", batch there after "
                        + millis(producedAt[early[0] / scenario.batch()]) + ", consumed after "
                        + millis(consumedAt[early[0]]) + ", wait="
                        + millis(scenario.consume().get(early[0]).toNanos()));
    }

    /** At the latest. */
    private long begunAt(int task) {
        return consumedAt[task] - scenario.consume().get(task).toNanos();
    }

    private List<String> consumersAtOnce() {
        var ends = new PriorityQueue<Long>(); // of the tasks under way
        int most = 0;
        var byBeginning = IntStream.range(0, scenario.tasks())
                .boxed()
                .sorted(Comparator.comparingLong(this::begunAt))
                .toList();
        for (int task : byBeginning) {
            long begun = begunAt(task) + TOLERANCE_NANOS;
            while (!ends.isEmpty() && ends.peek() <= begun) {
                ends.remove();
            }
            ends.add(consumedAt[task]);
            most = Math.max(most, ends.size());
        }
        return most <= scenario.consumers()
                ? List.of()
                : List.of("consumers at once: allowed=" + scenario.consumers() + ", seen=" + most);
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
