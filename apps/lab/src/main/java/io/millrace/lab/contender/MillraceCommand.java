// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Checkout;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Tools;
import io.millrace.lab.workload.RowData;
import java.nio.file.Files;
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
 * {@code millrace load}, as a user starts it.
 *
 * @param table of a database; empty for a file
 * @param heap small is 256 MB
 */
public record MillraceCommand(Optional<String> table, Heap heap) implements ProcessContender {

    /** What heap it is given. */
    public enum Heap {
        AS_IT_COMES,
        SMALL,
        /** With a recording of every collection, which costs time. */
        SMALL_AND_WATCHED
    }

    private static final String SMALL_HEAP = "-Xmx256m";

    /** The input that names what is loaded: a path or a JDBC URL. */
    public static final String SOURCE = "source";

    /** What the load itself says it took, from opening the source to the last reply. */
    public static final String SECONDS = "seconds";

    /** A file into hashes, everything as it comes. */
    public static MillraceCommand ofFile() {
        return new MillraceCommand(Optional.empty(), Heap.AS_IT_COMES);
    }

    /** A table into hashes, in a heap of 256 MB. */
    public static MillraceCommand ofTable(String table) {
        return new MillraceCommand(Optional.of(table), Heap.SMALL);
    }

    /** The same, with its memory watched. */
    public static MillraceCommand ofTableWatched(String table) {
        return new MillraceCommand(Optional.of(table), Heap.SMALL_AND_WATCHED);
    }

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return heap == Heap.AS_IT_COMES ? "process" : "process-256m";
    }

    @Override
    public String note() {
        return "./millrace load"
                + switch (heap) {
                    case AS_IT_COMES -> "";
                    case SMALL -> " with " + SMALL_HEAP;
                    case SMALL_AND_WATCHED -> " with " + SMALL_HEAP + " and a flight recording";
                }
                + ", the launcher and the start of the JVM included";
    }

    /** Lets the launcher build what it needs, which it does on its first use. */
    @Override
    public void prepare(Task task) {
        if (!Files.isExecutable(launcher())) {
            throw new LabException(
                    "the launcher is not there: file=" + launcher() + ". Start the lab in the source tree.");
        }
        Tools.run(List.of(launcher().toString(), "--version"), Path.of(task.folder(), "preparation"));
    }

    private static Path launcher() {
        return Checkout.root().resolve("millrace");
    }

    @Override
    public Invocation invocation(Task task) {
        var command = new ArrayList<>(List.of(launcher().toString(), "load", task.input(SOURCE), "--key", RowData.KEY));
        command.addAll(List.of("--as", "hash", "--json", "--progress", "none"));
        command.addAll(List.of("-u", "redis://" + task.host() + ":" + task.port()));
        table.ifPresent(name -> command.addAll(List.of("--table", name)));
        return new Invocation(command, environment(task), Optional.empty(), heap == Heap.SMALL_AND_WATCHED);
    }

    private Map<String, String> environment(Task task) {
        return switch (heap) {
            case AS_IT_COMES -> Map.of();
            case SMALL -> Map.of("JAVA_TOOL_OPTIONS", SMALL_HEAP);
            case SMALL_AND_WATCHED ->
                Map.of("JAVA_TOOL_OPTIONS", SMALL_HEAP + " " + HeapRecording.option(recording(task)));
        };
    }

    private static Path recording(Task task) {
        return Path.of(task.folder(), "heap.jfr");
    }

    @Override
    public Account account(Task task, Ended ended) {
        var report = report(ended);
        if (ended.exit() != 0 || report.at("/rows/written").asLong(-1) != task.operations()) {
            throw new LabException("millrace load did not write every row: exit=" + ended.exit() + ", rows="
                    + report.path("rows") + ", said=" + ended.errors().strip());
        }
        var figures = new HashMap<>(Map.of(SECONDS, report.path("seconds").doubleValue()));
        if (heap == Heap.SMALL_AND_WATCHED) {
            figures.putAll(HeapRecording.read(recording(task)).figures());
        }
        return new Account(Optional.of(outcomes(report.path("commands"))), figures);
    }

    private static JsonNode report(Ended ended) {
        try {
            return JsonMapper.shared().readTree(ended.output());
        } catch (JacksonException e) {
            throw new LabException(
                    "millrace load printed no report: exit=" + ended.exit() + ", said="
                            + (ended.errors() + ended.output()).strip(),
                    e);
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
}
