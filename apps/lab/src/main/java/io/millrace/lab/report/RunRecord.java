// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Durations;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * All that was measured, for keeping: {@code command.txt}, {@code environment.txt}, {@code samples.csv} with every
 * turn, warm-ups too, {@code table.txt} and {@code report.json}.
 *
 * @param command as it was typed
 * @param table what was shown
 * @param json the object
 */
public record RunRecord(String command, Environment environment, List<Run> runs, String table, String json) {

    private static final String SAMPLES_HEADER =
            "workload,contender,rtt_ms,round,operations,wall_s,cpu_s,system_s,server_cpu_s,verified,figures";

    /** Writes the files into {@code folder}, which is made if need be. */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("command.txt"), command + "\n");
        Files.writeString(folder.resolve("environment.txt"), environmentText());
        Files.writeString(folder.resolve("samples.csv"), samples());
        Files.writeString(folder.resolve("table.txt"), table);
        Files.writeString(folder.resolve("report.json"), json + "\n");
    }

    private String environmentText() {
        var text = new StringBuilder();
        text.append("date: ").append(environment.date()).append('\n');
        text.append("commit: ").append(environment.commit().orElse("unknown")).append('\n');
        text.append("java: ").append(environment.java()).append('\n');
        text.append("cpu: ").append(environment.cpu().orElse("unknown")).append('\n');
        text.append("load average before the first round: ")
                .append(
                        environment.loadAverage().isPresent()
                                ? environment.loadAverage().getAsDouble()
                                : "unknown")
                .append('\n');
        text.append("cores: ").append(environment.cores()).append('\n');
        text.append("redis-server: ").append(environment.server()).append('\n');
        environment
                .versions()
                .forEach((name, version) ->
                        text.append(name).append(": ").append(version).append('\n'));
        return text.toString();
    }

    private String samples() {
        var text = new StringBuilder(SAMPLES_HEADER).append('\n');
        for (var run : runs) {
            for (var sample : run.samples()) {
                text.append(line(run, sample)).append('\n');
            }
        }
        return text.toString();
    }

    private static String line(Run run, Sample sample) {
        var measured = sample.measured();
        return String.join(
                ",",
                run.workload().name(),
                run.contender().label(),
                Durations.millis(run.roundTrip()),
                Integer.toString(sample.round()),
                Long.toString(run.operations(sample)),
                seconds(OptionalDouble.of(measured.wallSeconds())),
                seconds(OptionalDouble.of(measured.cpuSeconds())),
                seconds(measured.systemSeconds()),
                seconds(sample.serverCpuSeconds()),
                Boolean.toString(sample.complaints().isEmpty()),
                figures(sample));
    }

    private static String figures(Sample sample) {
        return String.join(
                " ",
                new TreeMap<>(sample.measured().figures())
                        .entrySet().stream()
                                .map(figure ->
                                        figure.getKey() + "=" + String.format(Locale.ROOT, "%.4f", figure.getValue()))
                                .toList());
    }

    private static String seconds(OptionalDouble value) {
        return value.isPresent() ? String.format(Locale.ROOT, "%.6f", value.getAsDouble()) : "";
    }
}
