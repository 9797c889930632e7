// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;

/** Two consumers that block in {@code take}, and then a producer, on a pool of two threads or on virtual threads. */
record BlockingTakes(boolean virtual) implements Work {

    private static final int TASKS = 100;
    private static final String DOCUMENTATION = "https://docs.oracle.com/en/java/javase/21/core/virtual-threads.html";

    static List<JvmContender> contenders() {
        String order = "; two consumers that block in take start before the producer";
        return List.of(
                new JvmContender(
                        new Description("jdk", "two-platform-threads", "newFixedThreadPool(2)" + order, DOCUMENTATION),
                        new BlockingTakes(false)),
                new JvmContender(
                        new Description(
                                "jdk", "virtual-threads", "newThreadPerTaskExecutor, virtual" + order, DOCUMENTATION),
                        new BlockingTakes(true)));
    }

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(virtual);
    }

    private static final class Ready implements ReadyWork {

        private final boolean virtual;
        private DeadlockProbe.Result result = new DeadlockProbe.Result(0, Optional.empty());

        Ready(boolean virtual) {
            this.virtual = virtual;
        }

        @Override
        public long run() throws Exception {
            DeadlockProbe probe = new DeadlockProbe(TASKS);
            result = virtual
                    ? probe.run(Thread.ofVirtual(), Executors::newThreadPerTaskExecutor)
                    : probe.run(Thread.ofPlatform(), factory -> Executors.newFixedThreadPool(2, factory));
            return result.consumed();
        }

        @Override
        public RoundDetails details() {
            boolean isDeadlock = result.deadlock().isPresent();
            int expected = virtual ? TASKS : 0;
            return RoundDetails.NONE
                    .withFigure("deadlocks", isDeadlock ? 1 : 0)
                    .withRemark(result.deadlock().orElse("no deadlock: consumed=" + result.consumed()))
                    .withComplaints(
                            isDeadlock != virtual && result.consumed() == expected
                                    ? List.of()
                                    : List.of("deadlock: expected=" + !virtual + ", found=" + isDeadlock
                                            + "; tasks consumed: expected=" + expected + ", consumed="
                                            + result.consumed()));
        }

        @Override
        public void close() {}
    }
}
