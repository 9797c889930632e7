// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.target.Repetition;
import java.io.StringWriter;
import java.util.Locale;
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
     * {@code server} only if the load contacted a server, {@code repetition} only if a repeated load adds rows a second
     * time or leaves them out. All other members are always present.
     */
    public static String of(LoadReport report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            writeRows(json, report.rows());
            writeCommands(json, report.commands());
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
            if (report.repetition() != Repetition.CHANGES_NOTHING) {
                json.writeStringProperty("repetition", word(report.repetition()));
            }
            json.writeEndObject();
        }
        return text.toString();
    }

    private static String word(Repetition repetition) {
        return repetition.name().toLowerCase(Locale.ROOT).replace('_', '-');
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
        json.writeNumberProperty("ok", commands.ok());
        json.writeNumberProperty("error", commands.error());
        json.writeNumberProperty("timedOut", commands.timedOut());
        json.writeNumberProperty("refused", commands.refused());
        json.writeNumberProperty("lost", commands.lost());
        json.writeNumberProperty("pending", commands.pending());
        json.writeEndObject();
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
        json.writeStringProperty("version", server.version());
        json.writeStringProperty("mode", server.mode());
        json.writeEndObject();
    }

    private static void writeSeconds(JsonGenerator json, String name, double seconds) {
        json.writeNumberProperty(name, Math.round(seconds * MICROS) / MICROS);
    }
}
