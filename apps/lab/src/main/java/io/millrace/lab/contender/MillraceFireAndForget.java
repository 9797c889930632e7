// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.Overflow;
import io.millrace.lab.FireAndForget;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Tools;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@link FireAndForget} in a JVM with a heap of 128 MB, whose collections are recorded. */
public record MillraceFireAndForget(Overflow overflow, int window) implements ProcessContender {

    /** The input that says for how many milliseconds it is to send. */
    public static final String MILLIS = "millis";

    /** Commands carried out per second, the start of the JVM left out. */
    public static final String PER_SECOND = "perSecond";

    public static final String REFUSED = "refused";

    /** Time of a {@code send} that is refused, in nanoseconds: the middle of those that were timed. */
    public static final String REFUSAL_NANOS = "refusalNanos";

    /** The same, of the slowest but one in a hundred. */
    public static final String REFUSAL_NANOS_99 = "refusalNanos99";

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return overflow.name().toLowerCase(Locale.ROOT) + "-128m";
    }

    @Override
    public String note() {
        return "a main method that sends and never looks back, " + window + " in flight, overflow " + overflow
                + ", fused as by default: java -Xmx128m; operations are commands carried out, the time is that of the process";
    }

    @Override
    public Invocation invocation(Task task) {
        return Invocation.of(List.of(
                Tools.java(),
                "-Xmx128m",
                "-Xlog:disable", // or the recorder would speak between the figures
                "-Xlog:all=error:stderr",
                HeapRecording.option(recording(task)),
                "-cp",
                Tools.classPathText(),
                FireAndForget.class.getName(),
                task.host(),
                Integer.toString(task.port()),
                task.input(MILLIS),
                overflow.name(),
                Integer.toString(window)));
    }

    private static Path recording(Task task) {
        return Path.of(task.folder(), "heap.jfr");
    }

    @Override
    public Account account(Task task, Ended ended) {
        if (ended.exit() != 0) {
            throw new LabException("fire and forget did not come out even: exit=" + ended.exit() + ", said="
                    + (ended.output() + ended.errors()).strip());
        }
        var said = SaidFigures.in(ended.output());
        Map<String, Double> figures =
                new HashMap<>(HeapRecording.read(recording(task)).figures());
        figures.put(Measured.OPERATIONS, said.of("ok"));
        figures.put(PER_SECOND, said.of("ok") / said.of("seconds"));
        figures.put(REFUSED, said.of(REFUSED));
        figures.put(FusedCalls.COMMANDS, said.of(FusedCalls.COMMANDS));
        figures.put(FusedCalls.RUNS, said.of(FusedCalls.RUNS));
        if (said.of(REFUSED) > 0) {
            figures.put(REFUSAL_NANOS, said.of(REFUSAL_NANOS));
            figures.put(REFUSAL_NANOS_99, said.of(REFUSAL_NANOS_99));
        }
        return new Account(Optional.of(outcomes(said)), figures);
    }

    private static Outcomes outcomes(SaidFigures said) {
        return new Outcomes(
                (long) said.of("ok"),
                (long) said.of("error"),
                (long) said.of("timedOut"),
                (long) said.of(REFUSED),
                (long) said.of("lost"));
    }
}
