// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.target.Repetition;
import java.io.StringWriter;
import java.util.Locale;
import java.util.OptionalInt;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes a load report as JSON. */
public final class LoadReportJson {

    private static final JsonFactory JSON = new JsonFactory();

    /** Seconds are rounded to microseconds. */
    private static final double MICROS = 1e6;

    private LoadReportJson() {}

    /**
     * One JSON object on one line, without a line end. {@code verified} is present only after a verification,
     * {@code server} only if the load contacted a server, {@code reason} only if the job did not complete,
     * {@code rowsPerKey}, {@code unconfirmedRows}, {@code evictedKeys}, {@code warnings} and {@code checkpoint} only if
     * there are any, {@code redirects} and {@code nodes} only for a cluster, {@code reloaded} only if the load was to replace old data,
     * {@code repetition} only if a repeated load adds rows a second time or leaves them out. All other members are
     * always present.
     */
    public static String of(LoadReport report) {
        return of(report, OptionalInt.empty());
    }

    /** The same, with the exit code of the process as member {@code exit}. */
    public static String of(LoadReport report, int exit) {
        return of(report, OptionalInt.of(exit));
    }

    /**
     * Returns the report in {@code json}, a text of {@link #of(LoadReport)}. Seconds have microseconds. A member that this
     * version does not know is ignored.
     *
     * @throws IllegalArgumentException if the text is not the JSON of a report
     */
    public static LoadReport parse(String json) {
        return LoadReportParser.parse(json);
    }

    private static String of(LoadReport report, OptionalInt exit) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            writeRows(json, report.rows());
            json.writeStringProperty("ending", word(report.ending()));
            report.ending().reason().ifPresent(reason -> json.writeStringProperty("reason", reason));
            exit.ifPresent(code -> json.writeNumberProperty("exit", code));
            writeJob(json, report.job());
            writeCommands(json, report.commands());
            writeNodes(json, report.details());
            writeFused(json, report.fusion());
            writeSeconds(json, "seconds", report.seconds());
            json.writeNumberProperty("rowsPerSecond", report.rowsPerSecond());
            writeSeconds(json, "cpuSeconds", report.cpuSeconds());
            json.writeNumberProperty("bytesSent", report.bytesSent());
            json.writeNumberProperty("peakInFlight", report.peakInFlight());
            writeTime(json, report.time());
            json.writeStringProperty("bottleneck", report.bottleneck().name().toLowerCase(Locale.ROOT));
            report.verified().ifPresent(verified -> writeVerified(json, verified));
            report.server().ifPresent(server -> writeServer(json, server));
            writeDetails(json, report.details());
            json.writeEndObject();
        }
        return text.toString();
    }

    private static String word(LoadReport.Ending ending) {
        return switch (ending) {
            case LoadReport.Ending.Completed completed -> "completed";
            case LoadReport.Ending.Stopped stopped -> "stopped";
            case LoadReport.Ending.Unverified unverified -> "unverified";
            case LoadReport.Ending.Interrupted interrupted -> "interrupted";
            case LoadReport.Ending.Failed failed -> "failed";
        };
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void writeJob(JsonGenerator json, LoadReport.Job job) {
        json.writeStringProperty(
                "job", job.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.writeStringProperty("source", job.source());
        json.writeStringProperty("target", job.target());
        json.writeStringProperty("started", job.started().toString());
    }

    private static void writeDetails(JsonGenerator json, LoadReport.Details details) {
        details.rowsPerKey().ifPresent(repeated -> {
            json.writeObjectPropertyStart("rowsPerKey");
            json.writeNumberProperty("rows", repeated.rows());
            json.writeNumberProperty("keys", repeated.keys());
            json.writeBooleanProperty("exact", repeated.exact());
            json.writeEndObject();
        });
        if (!details.unconfirmedRows().isEmpty()) {
            json.writeArrayPropertyStart("unconfirmedRows");
            details.unconfirmedRows().forEach(range -> writeRange(json, range));
            json.writeEndArray();
        }
        if (details.evictedKeys() > 0) {
            json.writeNumberProperty("evictedKeys", details.evictedKeys());
        }
        if (!details.warnings().isEmpty()) {
            json.writeArrayPropertyStart("warnings");
            details.warnings().forEach(json::writeString);
            json.writeEndArray();
        }
        details.reloaded().ifPresent(reloaded -> writeReloaded(json, reloaded));
        details.checkpoint().ifPresent(checkpoint -> writeCheckpoint(json, checkpoint));
        if (details.repetition() != Repetition.CHANGES_NOTHING) {
            json.writeStringProperty("repetition", word(details.repetition()));
        }
    }

    private static void writeReloaded(JsonGenerator json, ReloadResult reloaded) {
        json.writeObjectPropertyStart("reloaded");
        json.writeNumberProperty("swapped", reloaded.swapped());
        json.writeNumberProperty("pruned", reloaded.pruned());
        json.writeNumberProperty("foreign", reloaded.foreign());
        reloaded.obstacle().ifPresent(why -> json.writeStringProperty("obstacle", why));
        if (reloaded.pending()) {
            json.writeBooleanProperty("pending", true);
        }
        json.writeEndObject();
    }

    private static void writeCheckpoint(JsonGenerator json, LoadReport.Checkpoint checkpoint) {
        json.writeObjectPropertyStart("checkpoint");
        json.writeStringProperty("name", checkpoint.name());
        json.writeStringProperty("place", checkpoint.place());
        json.writeNumberProperty("resumedAfter", checkpoint.resumedAfter());
        json.writeNumberProperty("rows", checkpoint.rows());
        json.writeStringProperty("state", word(checkpoint.state()));
        json.writeEndObject();
    }

    private static void writeRange(JsonGenerator json, RowRange range) {
        json.writeStartObject();
        json.writeNumberProperty("firstRow", range.firstRow());
        json.writeNumberProperty("lastRow", range.lastRow());
        if (range.firstLine() > 0) {
            json.writeNumberProperty("firstLine", range.firstLine());
            json.writeNumberProperty("lastLine", range.lastLine());
        }
        json.writeNumberProperty("unconfirmed", range.unconfirmed());
        if (!range.file().isEmpty()) {
            json.writeStringProperty("file", range.file());
        }
        json.writeEndObject();
    }

    private static void writeRows(JsonGenerator json, RowCounts rows) {
        json.writeObjectPropertyStart("rows");
        json.writeNumberProperty("read", rows.read());
        json.writeNumberProperty("written", rows.written());
        json.writeNumberProperty("rejected", rows.rejected());
        json.writeNumberProperty("skipped", rows.skipped());
        json.writeNumberProperty("unconfirmed", rows.unconfirmed());
        json.writeEndObject();
    }

    private static void writeCommands(JsonGenerator json, CommandCounts commands) {
        json.writeObjectPropertyStart("commands");
        json.writeNumberProperty("submitted", commands.submitted());
        writeOutcomes(json, commands);
        json.writeEndObject();
    }

    private static void writeOutcomes(JsonGenerator json, CommandCounts commands) {
        json.writeNumberProperty("ok", commands.ok());
        json.writeNumberProperty("error", commands.error());
        json.writeNumberProperty("timedOut", commands.timedOut());
        json.writeNumberProperty("refused", commands.refused());
        json.writeNumberProperty("lost", commands.lost());
        json.writeNumberProperty("pending", commands.pending());
    }

    /** The commands of each node of a cluster. A redirected command counts at each node to which it was submitted. */
    private static void writeNodes(JsonGenerator json, LoadReport.Details details) {
        if (details.nodes().isEmpty()) {
            return;
        }
        json.writeNumberProperty("redirects", details.redirects());
        json.writeArrayPropertyStart("nodes");
        for (NodeCounts node : details.nodes()) {
            json.writeStartObject();
            json.writeStringProperty("node", node.node());
            json.writeNumberProperty("submitted", node.submitted());
            writeOutcomes(json, node.commands());
            json.writeNumberProperty("redirected", node.redirected());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeFused(JsonGenerator json, FusionCounts fused) {
        json.writeObjectPropertyStart("fused");
        json.writeNumberProperty("commands", fused.commands());
        json.writeNumberProperty("fusedBatches", fused.fusedBatches());
        json.writeEndObject();
    }

    private static void writeTime(JsonGenerator json, LoadReport.Times time) {
        json.writeObjectPropertyStart("time");
        writeSeconds(json, "source", time.source());
        writeSeconds(json, "mapping", time.mapping());
        writeSeconds(json, "window", time.window());
        writeSeconds(json, "socket", time.socket());
        json.writeEndObject();
    }

    private static void writeVerified(JsonGenerator json, LoadReport.Verified verified) {
        json.writeObjectPropertyStart("verified");
        json.writeNumberProperty("checked", verified.checked());
        json.writeNumberProperty("mismatched", verified.mismatched());
        json.writeEndObject();
    }

    private static void writeServer(JsonGenerator json, LoadReport.Server server) {
        json.writeObjectPropertyStart("server");
        json.writeStringProperty("name", server.name());
        json.writeStringProperty("version", server.version());
        json.writeStringProperty("mode", server.mode());
        json.writeEndObject();
    }

    private static void writeSeconds(JsonGenerator json, String name, double seconds) {
        json.writeNumberProperty(name, Math.round(seconds * MICROS) / MICROS);
    }
}
