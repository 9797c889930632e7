// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.run.Step;
import io.millrace.lab.run.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Notes the moment of all that an approach does in one run of a scenario, and finds out whether it did it right. The
 * moments alone must do: a task that took its wait and ended then has begun so long before, at the latest.
 *
 * <p>Told by any thread; asked by one, {@link #step} during the run and the others after it.
 */
public final class Overseer implements Observer {

    /** Consumed tasks that share an entry of the trace: 100 entries are enough for any plot. */
    private static final int MARKS = 100;

    private static final double MILLI_NANOS = 1e6;

    private final Scenario scenario;
    private final AtomicLongArray producedAt; // nanoseconds since the start, from 1; 0 for not yet
    private final AtomicLongArray consumedAt;
    private final AtomicInteger produced = new AtomicInteger();
    private final AtomicInteger consumed = new AtomicInteger();
    private final AtomicInteger producedAgain = new AtomicInteger();
    private final AtomicInteger consumedAgain = new AtomicInteger();
    private final long start = System.nanoTime();
    private int toldBatches; // belongs to the one who asks
    private int toldTasks;

    /** Begins to look at {@code scenario}, which starts now. */
    public Overseer(Scenario scenario) {
        this.scenario = scenario;
        this.producedAt = new AtomicLongArray(scenario.batches());
        this.consumedAt = new AtomicLongArray(scenario.tasks());
    }

    @Override
    public void produced(int batch) {
        note(producedAt, batch, produced, producedAgain);
    }

    @Override
    public void consumed(int task) {
        note(consumedAt, task, consumed, consumedAgain);
    }

    private void note(AtomicLongArray moments, int number, AtomicInteger first, AtomicInteger again) {
        long now = Math.max(1, System.nanoTime() - start);
        (moments.compareAndSet(number, 0, now) ? first : again).incrementAndGet();
    }

    /** Tasks that have been consumed, each counted once. */
    public int consumed() {
        return consumed.get();
    }

    /** What came since this was asked before. */
    public Step step() {
        int tasks = consumed.get(); // first: a task is not to come before its batch
        int batches = produced.get();
        var step = new Step(batches - toldBatches, tasks - toldTasks, scenario.batches(), scenario.tasks());
        toldBatches = batches;
        toldTasks = tasks;
        return step;
    }

    /**
     * What was wrong; empty if each task was produced and consumed once, in its time, by no more consumers than there
     * are.
     */
    public List<String> complaints() {
        var complaints = new ArrayList<String>();
        complaints.addAll(counts("batches produced", producedAt, producedAgain.get()));
        complaints.addAll(counts("tasks consumed", consumedAt, consumedAgain.get()));
        if (complaints.isEmpty()) { // else there is no moment for each
            var timing = new Timing(scenario, moments(producedAt), moments(consumedAt));
            complaints.addAll(timing.complaints());
        }
        return complaints;
    }

    private static List<String> counts(String what, AtomicLongArray moments, int again) {
        var never = IntStream.range(0, moments.length())
                .filter(i -> moments.get(i) == 0)
                .toArray();
        return never.length == 0 && again == 0
                ? List.of()
                : List.of(what + ": expected=" + moments.length() + ", never=" + never.length
                        + (never.length == 0 ? "" : " (the first: " + never[0] + ")") + ", more than once=" + again);
    }

    private static long[] moments(AtomicLongArray moments) {
        return IntStream.range(0, moments.length()).mapToLong(moments::get).toArray();
    }

    /** When what happened. */
    public Trace trace() {
        int perMark = Math.ceilDiv(scenario.tasks(), MARKS);
        var consumptions = sorted(consumedAt);
        var marks = IntStream.range(0, Math.ceilDiv(consumptions.length, perMark))
                .map(mark -> Math.min((mark + 1) * perMark, consumptions.length) - 1)
                .mapToObj(last -> millis(consumptions[last]))
                .toList();
        return new Trace(
                LongStream.of(sorted(producedAt)).mapToObj(Overseer::millis).toList(), perMark, marks);
    }

    private static long[] sorted(AtomicLongArray moments) {
        return LongStream.of(moments(moments)).filter(at -> at > 0).sorted().toArray();
    }

    private static double millis(long nanos) {
        return Math.round(nanos / MILLI_NANOS * 10) / 10.0;
    }
}
