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
 * Checks that the times of a run are possible with the waits of the scenario.
 *
 * <p>The check knows the latest possible start of a task: the end of the task minus its wait. So a thread that wakes up
 * late causes no complaint. A consumer that waits less, a consumer that starts before the batch, and an additional
 * consumer cause a complaint.
 *
 * @param producedAt nanoseconds since the start, by batch
 * @param consumedAt nanoseconds since the start, by task
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WaitCheck(TaskScenario scenario, long[] producedAt, long[] consumedAt) {

    /** The timers of the libraries and {@link System#nanoTime} may differ a little. */
    private static final long TOLERANCE_NANOS = 100_000;

    List<String> complaints() {
        List<String> complaints = new ArrayList<>(earlyBatches());
        complaints.addAll(earlyTasks());
        complaints.addAll(tooManyConsumers());
        return complaints;
    }

    /** During one wait, {@code n} producers can complete at most {@code n} batches. */
    private List<String> earlyBatches() {
        long[] times = producedAt.clone();
        Arrays.sort(times);
        int producers = scenario.producers();
        long minimum = scenario.produce().toNanos() - TOLERANCE_NANOS;
        return IntStream.range(0, times.length)
                .filter(i -> times[i] - (i < producers ? 0 : times[i - producers]) < minimum)
                .mapToObj(i -> "a batch was produced too early: position=" + (i + 1) + ", produced after "
                        + millis(times[i]) + ", producers=" + producers + ", wait="
                        + millis(scenario.produce().toNanos()))
                .limit(1)
                .toList();
    }

    private List<String> earlyTasks() {
        int[] early = IntStream.range(0, scenario.tasks())
                .filter(task -> startedAt(task) < producedAt[task / scenario.batch()] - TOLERANCE_NANOS)
                .toArray();
        return early.length == 0
                ? List.of()
                : List.of("tasks were consumed too early: tasks=" + early.length + ", the first: task=" + early[0]
                        + ", batch produced after " + millis(producedAt[early[0] / scenario.batch()])
                        + ", consumed after " + millis(consumedAt[early[0]]) + ", wait="
                        + millis(scenario.consume().get(early[0]).toNanos()));
    }

    /** The latest possible start. */
    private long startedAt(int task) {
        return consumedAt[task] - scenario.consume().get(task).toNanos();
    }

    private List<String> tooManyConsumers() {
        PriorityQueue<Long> ends = new PriorityQueue<>(); // of the tasks that run at this time
        int maximum = 0;
        List<Integer> byStart = IntStream.range(0, scenario.tasks())
                .boxed()
                .sorted(Comparator.comparingLong(this::startedAt))
                .toList();
        for (int task : byStart) {
            long start = startedAt(task) + TOLERANCE_NANOS;
            while (!ends.isEmpty() && ends.peek() <= start) {
                ends.remove();
            }
            ends.add(consumedAt[task]);
            maximum = Math.max(maximum, ends.size());
        }
        return maximum <= scenario.consumers()
                ? List.of()
                : List.of("too many concurrent consumers: allowed=" + scenario.consumers() + ", seen=" + maximum);
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
