// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.function.Consumer;

/** Runs one approach in one scenario. */
record TaskWork(Approach approach, Pace pace, int producers) implements Work {

    /** Name of the figure with the makespan of the ideal schedule. */
    static final String IDEAL_SECONDS = "idealSeconds";

    private static final int WARM_UP_DIVISOR = 100;

    /** Opens the work after one run with a hundredth of the shortest waits, so that the classes are loaded. */
    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        TaskScenario warmUp =
                Pace.SLOW_PRODUCER.scenario(context.parameters().seed(), Pace.TASKS, WARM_UP_DIVISOR, producers);
        approach.run(warmUp, new TaskRecorder(warmUp, event -> {}));
        return new Ready(approach, pace.scenario(context.parameters(), producers));
    }

    private static final class Ready implements ReadyWork {

        private final Approach approach;
        private final TaskScenario scenario;
        private Consumer<ProgressEvent> listener = event -> {};
        private TaskRecorder recorder;

        Ready(Approach approach, TaskScenario scenario) {
            this.approach = approach;
            this.scenario = scenario;
            this.recorder = new TaskRecorder(scenario, listener);
        }

        @Override
        public void watch(Consumer<ProgressEvent> newListener) {
            listener = newListener;
        }

        @Override
        public long run() throws Exception {
            TaskRecorder current = new TaskRecorder(scenario, listener);
            recorder = current;
            approach.run(scenario, current);
            return current.consumedTasks();
        }

        @Override
        public RoundDetails details() {
            int consumed = recorder.consumedTasks();
            return RoundDetails.NONE
                    .withOutcomes(new Outcomes(consumed, 0, 0, 0, scenario.tasks() - consumed))
                    .withComplaints(recorder.complaints())
                    .withFigure(IDEAL_SECONDS, scenario.ideal().toNanos() / 1e9)
                    .withTrace(recorder.trace());
        }

        @Override
        public void close() {}
    }
}
