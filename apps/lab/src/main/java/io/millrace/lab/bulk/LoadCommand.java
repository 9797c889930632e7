// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code millrace load}, as users start it.
 *
 * @param isRecorded whether a flight recording of the heap is made, which costs time
 */
record LoadCommand(RowSource source, boolean isRecorded) implements ProcessContender.Program {

    static final String KEY_TEMPLATE = RowData.KEYSPACE + ":{id}";

    /** The duration that the report of the load states, from opening the source to the last reply. */
    static final String SECONDS = "seconds";

    /** {@link #SECONDS} of Millrace; the wall time of a program without such a report. */
    static final Figure OWN_SECONDS = sample -> sample.details().figures().containsKey(SECONDS)
            ? Figure.own(SECONDS).of(sample)
            : Figure.UNIT_SECONDS.of(sample);

    private static final String SMALL_HEAP = "-Xmx256m";

    static ProcessContender contender(RowSource source, boolean isRecorded) {
        String note = "./millrace load" + (source.isTable() ? " with " + SMALL_HEAP : "")
                + (isRecorded ? " and a flight recording" : "")
                + ", with the launcher and the start of the JVM";
        return new ProcessContender(
                new Description("millrace", source.isTable() ? "process-256m" : "process", note, "docs/cli.md"),
                new LoadCommand(source, isRecorded),
                target -> ExternalPrograms.launcher().isPresent()
                        ? Optional.empty()
                        : Optional.of("the launcher ./millrace is not here. Start the lab in the source tree."));
    }

    private static String launcher() {
        return ExternalPrograms.launcher().orElseThrow().toString();
    }

    /** Makes the rows, and has the launcher build the program, which the launcher does at its first start. */
    @Override
    public void prepare(WorkContext context) throws IOException {
        source.prepare(context);
        ExternalPrograms.run(
                List.of(launcher(), "--version"), Map.of(), context.folder().resolve("preparation"));
    }

    @Override
    public ProcessContender.Invocation invocation(WorkContext context) {
        var command = new ArrayList<>(List.of(launcher(), "load", source.location(context), "--key", KEY_TEMPLATE));
        command.addAll(List.of("--as", "hash", "--json", "--progress", "none"));
        if (source.isTable()) {
            command.addAll(List.of("--table", RowSource.TABLE));
        }
        context.target().certificate().ifPresent(path -> command.addAll(List.of("--cacert", path.toString())));
        var environment = new HashMap<>(Connections.environment(context.target()));
        if (source.isTable()) {
            String recording = isRecorded ? " " + HeapRecording.option(recording(context)) : "";
            environment.put("JAVA_TOOL_OPTIONS", SMALL_HEAP + recording);
        }
        return new ProcessContender.Invocation(command, environment, Optional.empty());
    }

    private static Path recording(WorkContext context) {
        return context.folder().resolve("heap.jfr");
    }

    @Override
    public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
        var report = report(ended);
        if (ended.exitCode() != 0 || report.at("/rows/written").asLong(-1) != source.rows()) {
            throw ExternalPrograms.failure("millrace load did not write every row: rows=" + report.path("rows"), ended);
        }
        var details = RoundDetails.NONE
                .withOutcomes(outcomes(report.path("commands")))
                .withFigure(SECONDS, report.path("seconds").doubleValue());
        return isRecorded ? heap(context).addTo(details) : details;
    }

    private static HeapRecording heap(WorkContext context) {
        try {
            return HeapRecording.read(recording(context));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the flight recording of millrace load", e);
        }
    }

    private static JsonNode report(ProcessContender.Ended ended) {
        try {
            return JsonMapper.shared().readTree(ended.output());
        } catch (JacksonException e) {
            throw ExternalPrograms.failure("millrace load printed no report", ended, e);
        }
    }

    private static Outcomes outcomes(JsonNode commands) {
        return new Outcomes(
                commands.path("ok").asLong(),
                commands.path("error").asLong(),
                commands.path("timedOut").asLong(),
                commands.path("refused").asLong(),
                commands.path("lost").asLong());
    }

    @Override
    public long operations(WorkContext context) {
        return source.rows();
    }

    @Override
    public void release(WorkContext context) throws IOException {
        source.release();
    }
}
