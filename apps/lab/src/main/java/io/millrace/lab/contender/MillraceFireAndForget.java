// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.Overflow;
import io.millrace.lab.FireAndForget;
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
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

    private static final Pattern FIGURE = Pattern.compile("(\\w+)=([\\d.]+)");

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
                + ": java -Xmx128m; operations are commands carried out, the time is that of the process";
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
        var said = figures(ended.output());
        Map<String, Double> figures =
                new HashMap<>(HeapRecording.read(recording(task)).figures());
        figures.put(Measured.OPERATIONS, figure(said, "ok"));
        figures.put(PER_SECOND, figure(said, "ok") / figure(said, "seconds"));
        figures.put(REFUSED, figure(said, REFUSED));
        if (figure(said, REFUSED) > 0) {
            figures.put(REFUSAL_NANOS, figure(said, REFUSAL_NANOS));
            figures.put(REFUSAL_NANOS_99, figure(said, REFUSAL_NANOS_99));
        }
        return new Account(Optional.of(outcomes(said)), figures);
    }

    private static Map<String, Double> figures(String output) {
        return FIGURE.matcher(output)
                .results()
                .collect(Collectors.toMap(figure -> figure.group(1), figure -> Double.parseDouble(figure.group(2))));
    }

    private static double figure(Map<String, Double> said, String name) {
        var figure = said.get(name);
        if (figure == null) {
            throw new LabException("fire and forget did not say all: figure=" + name + ", said=" + said);
        }
        return figure;
    }

    private static Outcomes outcomes(Map<String, Double> said) {
        return new Outcomes(
                (long) figure(said, "ok"),
                (long) figure(said, "error"),
                (long) figure(said, "timedOut"),
                (long) figure(said, REFUSED),
                (long) figure(said, "lost"));
    }
}
