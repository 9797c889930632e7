// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Millrace with one value of the setting that is swept. */
record SweepPoint(Sweep sweep, long value) implements WarmContender {

    /** The setting for the commands in flight, where it is held. */
    static final String HELD_IN_FLIGHT = "inFlight";

    /** The figure for the keys that were set. */
    static final String KEYS = "keys";

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return sweep.setting() + "-" + value;
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return sweep.title() + ": " + value;
    }

    @Override
    public Rounds open(Task task) {
        return new PointRounds(sweep.sender().open(task, value), Duration.ofMillis(task.operations()));
    }

    private static final class PointRounds implements Rounds {

        private final Sender.Open sender;
        private final Duration time;
        private Sender.Sent sent = new Sender.Sent(0, 0);

        PointRounds(Sender.Open sender, Duration time) {
            this.sender = sender;
            this.time = time;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            sent = sender.sendFor(time);
            return Optional.of(Outcomes.answered(sent.commands(), 0));
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(Measured.OPERATIONS, (double) sent.commands(), KEYS, (double) sent.keys());
        }

        @Override
        public void close() {
            sender.close();
        }
    }
}
