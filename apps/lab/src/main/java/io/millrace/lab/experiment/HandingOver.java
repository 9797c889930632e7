// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.TaskLibrary.Described;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** A library that hands over tasks that do nothing. */
record HandingOver(String name, String kind, Described<Machinery> machinery, int producers) implements WarmContender {

    private static final int CONSUMERS = 8;

    @Override
    public String variant() {
        return producers + (producers == 1 ? "-producer" : "-producers") + (kind.isEmpty() ? "" : "-" + kind);
    }

    @Override
    public String jvm() {
        return name;
    }

    @Override
    public String note() {
        return machinery.note() + "; " + CONSUMERS + " consumers";
    }

    @Override
    public Optional<String> unfair() {
        return machinery.unfair();
    }

    @Override
    public Rounds open(Task task) {
        return new Counted(machinery.way(), producers, task.operations());
    }

    /** Rounds whose tasks are summed up: the lightest work that shows whether each number came once. */
    static final class Counted implements Rounds {

        private final Machinery machinery;
        private final int producers;
        private final long tasks;
        private final LongAdder count = new LongAdder();
        private final LongAdder sum = new LongAdder();

        Counted(Machinery machinery, int producers, long tasks) {
            this.machinery = machinery;
            this.producers = producers;
            this.tasks = tasks;
        }

        @Override
        public void prepare() {
            count.reset();
            sum.reset();
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            machinery.run(producers, CONSUMERS, tasks, this::work);
            return Optional.of(new Outcomes(count.sum(), 0, 0, 0, Math.max(0, tasks - count.sum())));
        }

        private void work(long number) {
            count.increment();
            sum.add(number);
        }

        @Override
        public List<String> complaints() {
            long expected = tasks * (tasks - 1) / 2;
            return count.sum() == tasks && sum.sum() == expected
                    ? List.of()
                    : List.of("numbers handed over: expected=" + tasks + ", came=" + count + "; their sum: expected="
                            + expected + ", came=" + sum);
        }

        @Override
        public void close() {}
    }
}
