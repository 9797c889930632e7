// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Records the time of each batch and of each task of one run, and reports errors. The live trace has a letter P
 * for each batch, and a letter C for each hundredth of the tasks. Any thread may call {@link #produced} and {@link
 * #consumed}; the other methods are called after the run.
 */
final class TaskRecorder implements Approach.Observer {

    /** Number of entries in a trace: enough for a chart. */
    private static final int MARKS = 100;

    private final TaskScenario scenario;
    private final Consumer<ProgressEvent> listener;
    private final int tasksPerMark;
    private final Times produced;
    private final Times consumed;
    private final long start = System.nanoTime();

    /** The recorder of a run that starts now. */
    TaskRecorder(TaskScenario scenario, Consumer<ProgressEvent> listener) {
        this.scenario = scenario;
        this.listener = listener;
        this.tasksPerMark = Math.ceilDiv(scenario.tasks(), MARKS);
        this.produced = new Times("batches produced", scenario.batches());
        this.consumed = new Times("tasks consumed", scenario.tasks());
    }

    @Override
    public void produced(int batch) {
        produced.record(batch, System.nanoTime() - start);
        listener.accept(new ProgressEvent.Mark('P'));
    }

    @Override
    public void consumed(int task) {
        if (consumed.record(task, System.nanoTime() - start) % tasksPerMark == 0) {
            listener.accept(new ProgressEvent.Mark('C'));
        }
    }

    /** Number of consumed tasks; a task that was consumed twice counts once. */
    int consumedTasks() {
        return consumed.first.get();
    }

    /** Empty if each batch and each task happened once, after the right wait, and not more consumers ran than allowed. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>(produced.complaints());
        complaints.addAll(consumed.complaints());
        return complaints.isEmpty() ? new WaitCheck(scenario, produced.all(), consumed.all()).complaints() : complaints;
    }

    Trace trace() {
        List<Double> consumptions = consumed.sortedMillis();
        List<Double> marks = IntStream.range(0, Math.ceilDiv(consumptions.size(), tasksPerMark))
                .map(mark -> Math.min((mark + 1) * tasksPerMark, consumptions.size()) - 1)
                .mapToObj(consumptions::get)
                .toList();
        return new Trace(produced.sortedMillis(), tasksPerMark, marks);
    }

    /** The time of each batch or task. */
    private static final class Times {

        private final String what;
        private final AtomicLongArray nanos; // since the start, from 1; 0 for not yet
        private final AtomicInteger first = new AtomicInteger();
        private final AtomicInteger repeated = new AtomicInteger();

        Times(String what, int length) {
            this.what = what;
            this.nanos = new AtomicLongArray(length);
        }

        /** Returns how many numbers were recorded for the first time, including this one. */
        int record(int number, long nanosSinceStart) {
            boolean isFirst = nanos.compareAndSet(number, 0, Math.max(1, nanosSinceStart));
            return (isFirst ? first : repeated).incrementAndGet();
        }

        List<String> complaints() {
            int[] missing = IntStream.range(0, nanos.length())
                    .filter(number -> nanos.get(number) == 0)
                    .toArray();
            return missing.length == 0 && repeated.get() == 0
                    ? List.of()
                    : List.of(what + ": expected=" + nanos.length() + ", missing=" + missing.length
                            + (missing.length == 0 ? "" : " (the first: " + missing[0] + ")") + ", repeated="
                            + repeated.get());
        }

        long[] all() {
            return IntStream.range(0, nanos.length()).mapToLong(nanos::get).toArray();
        }

        List<Double> sortedMillis() {
            return LongStream.of(all())
                    .filter(time -> time > 0)
                    .sorted()
                    .mapToObj(time -> Math.round(time / 1e5) / 10.0)
                    .toList();
        }
    }
}
