// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample.MemoryUse;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.CpuTime;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * The messages between the lab and a worker JVM: one line of JSON each. The lab sends one {@link Command} and reads
 * {@link Answer}s until the last one. Commands contain the password of the server, so they use the standard input only.
 */
final class WorkerMessages {

    /** Each line of an answer begins with this word. Other lines are output of a native library. */
    static final String ANSWER = "lab-answer ";

    static final JsonMapper JSON = JsonMapper.shared();

    private WorkerMessages() {}

    /** What a worker does; see the method of {@code ReadyWork} with the same name. */
    enum Action {
        OPEN,
        PREPARE,
        FILL,
        RUN,
        DETAILS,
        CLOSE
    }

    /** The {@code limits} are for {@link Action#RUN}. */
    record Command(Action action, Opening work, Limits limits) {}

    /** The names of the work, which the worker finds in the experiment, and the context of the work. */
    record Opening(String experiment, String scenario, String contender, WorkContext context) {
        String key() {
            return experiment + "/" + scenario + "/" + contender;
        }
    }

    /** How often a round repeats its unit of work: until the minimum duration has passed, but at most so many times. */
    record Limits(long minimumNanos, int maxUnits) {}

    /** An answer with one value, or without a value. An event is followed by another answer. */
    record Answer(
            Optional<String> failure,
            Optional<MeasuredPart> measured,
            Optional<RoundDetails> details,
            Optional<ProgressEvent.Second> second,
            Optional<ProgressEvent.Mark> mark) {

        static final Answer DONE =
                new Answer(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        static Answer failed(String why) {
            return new Answer(Optional.of(why), DONE.measured, DONE.details, DONE.second, DONE.mark);
        }

        static Answer of(MeasuredPart measured) {
            return new Answer(DONE.failure, Optional.of(measured), DONE.details, DONE.second, DONE.mark);
        }

        static Answer of(RoundDetails details) {
            return new Answer(DONE.failure, DONE.measured, Optional.of(details), DONE.second, DONE.mark);
        }

        static Answer of(ProgressEvent event) {
            return switch (event) {
                case ProgressEvent.Second second ->
                    new Answer(DONE.failure, DONE.measured, DONE.details, Optional.of(second), DONE.mark);
                case ProgressEvent.Mark mark ->
                    new Answer(DONE.failure, DONE.measured, DONE.details, DONE.second, Optional.of(mark));
            };
        }

        Optional<ProgressEvent> event() {
            return second.<ProgressEvent>map(event -> event).or(() -> mark);
        }
    }

    /** The measured part of a round. {@code memory} is empty for a process that is no JVM of the lab. */
    record MeasuredPart(long operations, int units, double wallSeconds, CpuTime client, Optional<MemoryUse> memory) {}
}
