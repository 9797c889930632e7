// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample.MemoryUse;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.CpuTime;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * The messages between the lab and a worker JVM, in lines. The lab sends one {@link Command} as JSON and reads {@link
 * Answer}s until the last one. Commands contain the password of the server, so they use the standard input only.
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

    /**
     * @param work key of the work in the worker
     * @param opening for {@link Action#OPEN}
     * @param limits for {@link Action#RUN}
     */
    record Command(Action action, String work, Optional<Opening> opening, Optional<Limits> limits) {}

    /** The names of the work, which the worker finds in the experiment, and the context of the work. */
    record Opening(String experiment, String scenario, String contender, WorkContext context) {}

    /** How often a round repeats its unit of work: until the minimum duration has passed, but at most so many times. */
    record Limits(long minimumNanos, int maxUnits) {
        static Limits of(RoundPlan plan) {
            return new Limits(plan.minimum().toNanos(), plan.maxUnits());
        }
    }

    /** What an answer contains. The first four kinds are last answers; an event is followed by another answer. */
    enum Kind {
        /** Nothing more. */
        DONE,
        /** A string: why the command failed. */
        FAILED,
        /** A {@link MeasuredPart}. */
        MEASURED,
        /** A {@link RoundDetails}. */
        DETAILS,
        /** A {@link ProgressEvent.Second}. */
        SECOND,
        /** A {@link ProgressEvent.Mark}. */
        MARK
    }

    /** An answer, whose value is still JSON. */
    record Answer(Kind kind, String json) {

        static Answer of(Kind kind, Object value) {
            return new Answer(kind, JSON.writeValueAsString(value));
        }

        static Answer of(ProgressEvent event) {
            return of(
                    switch (event) {
                        case ProgressEvent.Second second -> Kind.SECOND;
                        case ProgressEvent.Mark mark -> Kind.MARK;
                    },
                    event);
        }

        /** Reads a line after {@link #ANSWER}. */
        static Answer parse(String line) {
            String[] words = line.split(" ", 2);
            return new Answer(Kind.valueOf(words[0]), words[1]);
        }

        String line() {
            return ANSWER + kind + " " + json;
        }

        <T> T value(Class<T> type) {
            return JSON.readValue(json, type);
        }
    }

    /**
     * The measured part of a round.
     *
     * @param memory empty for a process that is no JVM of the lab
     */
    record MeasuredPart(long operations, int units, double wallSeconds, CpuTime client, Optional<MemoryUse> memory) {}
}
