// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import io.millrace.lab.tasks.Pace;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** How tasks get from those who produce them to those who consume them: in the waits' own time, and at what cost. */
public final class TaskProcessing implements Experiment {

    private final long seed;
    private final boolean glance;

    public TaskProcessing() {
        this(Pace.DEFAULT_SEED, false);
    }

    private TaskProcessing(long seed, boolean glance) {
        this.seed = seed;
        this.glance = glance;
    }

    @Override
    public String name() {
        return "e4";
    }

    @Override
    public String title() {
        return "Task processing";
    }

    @Override
    public String description() {
        return "1,000 tasks that wait, fetched in batches and consumed by 100 consumers, beside the best that the waits permit;"
                + " a million that do nothing; and blocking takes on two threads. Its size is thousandths of all that.";
    }

    @Override
    public long operations() {
        return Pace.FULL;
    }

    @Override
    public TaskProcessing withSeed(long drawn) {
        return new TaskProcessing(drawn, glance);
    }

    @Override
    public TaskProcessing atAGlance() {
        return new TaskProcessing(seed, true);
    }

    @Override
    public List<Workload> workloads() {
        return Stream.concat(
                        Arrays.stream(Pace.values()).map(pace -> new WaitingTasks(pace, seed, glance)),
                        Stream.<Workload>of(new EmptyTasks(), new BlockingTakes()))
                .toList();
    }
}
