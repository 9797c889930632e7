// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.util.Locale.ROOT;

import io.millrace.cli.doctor.Diagnosis;
import io.millrace.cli.doctor.Doctor;
import io.millrace.cli.doctor.Finding;
import io.millrace.cli.doctor.Finding.Level;
import io.millrace.cli.doctor.Sample;
import io.millrace.client.Setting.Unit;
import io.millrace.load.ExitCode;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs {@code millrace doctor}: the third stage. */
final class DoctorRun {

    private final DoctorRequest request;
    private final StandardStreams standardStreams;
    private final SecretMasker secretMasker;

    DoctorRun(DoctorRequest request, StandardStreams standardStreams, SecretMasker secretMasker) {
        this.request = request;
        this.standardStreams = standardStreams;
        this.secretMasker = secretMasker;
    }

    /** Blocks until the result is printed. */
    ExitCode run() {
        request.warnings().forEach(warning -> standardStreams.err().println("warning: " + warning));
        Diagnosis diagnosis = Doctor.examine(request.redis(), request.plan());
        PrintStream out = standardStreams.out();
        String text = request.json() ? json(diagnosis) : lines(diagnosis);
        out.println(secretMasker.mask(text));
        if (out.checkError()) {
            standardStreams.err().println("millrace: the result could not be written to standard output.");
            return ExitCode.INTERNAL;
        }
        return diagnosis.hasProblem() ? ExitCode.REJECTED : ExitCode.OK;
    }

    private String lines(Diagnosis diagnosis) {
        StringBuilder text = new StringBuilder();
        text.append(diagnosis.server())
                .append(", ")
                .append(request.redis().uri())
                .append('\n');
        diagnosis.sample().ifPresent(sample -> text.append(line(sample)).append('\n'));
        for (Finding finding : diagnosis.findings()) {
            String level = finding.level().name().toLowerCase(ROOT);
            text.append(String.format(ROOT, "%n%-8s %s: %s.", level, finding.topic(), finding.message()));
            finding.advice().ifPresent(advice -> text.append(String.format(ROOT, "%n%-8s %s", "", advice)));
        }
        return text.append(String.format(ROOT, "%n%n%s", summary(diagnosis))).toString();
    }

    /** The number of problems, pieces of advice and unknown facts, with their topics. */
    private static String summary(Diagnosis diagnosis) {
        return Stream.of(Level.PROBLEM, Level.ADVICE, Level.UNKNOWN)
                .map(level -> {
                    List<String> topics = diagnosis.findings().stream()
                            .filter(finding -> finding.level() == level)
                            .map(Finding::topic)
                            .toList();
                    return level.name().toLowerCase(ROOT) + ": " + topics.size()
                            + (topics.isEmpty() ? "" : " (" + String.join(", ", topics) + ")");
                })
                .collect(Collectors.joining("; "));
    }

    private static String line(Sample sample) {
        String total = sample.totalRows().isPresent()
                ? (sample.exact() ? "" : "about ")
                        + Unit.COUNT.text(sample.totalRows().getAsLong())
                : "unknown";
        return String.format(
                ROOT,
                "sample: %s rows in a private server, %,.0f bytes per row; rows of the source: %s",
                Unit.COUNT.text(sample.rows()),
                sample.bytesPerRow(),
                total);
    }

    private String json(Diagnosis diagnosis) {
        JsonObject json = new JsonObject()
                .text("server", diagnosis.server())
                .text("address", request.redis().uri().toString())
                .json(
                        "roundTripMicros",
                        new JsonObject()
                                .number("median", diagnosis.roundTrip().medianNanos() / 1_000)
                                .number("maximum", diagnosis.roundTrip().maxNanos() / 1_000)
                                .toString());
        diagnosis.sample().ifPresent(sample -> json.json("sample", json(sample)));
        return json.json("findings", findings(diagnosis.findings())).toString();
    }

    private static String json(Sample sample) {
        JsonObject json = new JsonObject()
                .number("rows", sample.rows())
                .number("written", sample.written())
                .number("bytesPerRow", Math.round(sample.bytesPerRow()));
        sample.totalRows().ifPresent(rows -> json.number("totalRows", rows).json("exact", "" + sample.exact()));
        sample.neededBytes().ifPresent(bytes -> json.number("neededBytes", bytes));
        return json.toString();
    }

    private static String findings(List<Finding> findings) {
        return JsonObject.array(findings.stream().map(finding -> {
            JsonObject json = new JsonObject()
                    .text("topic", finding.topic())
                    .text("level", finding.level().name().toLowerCase(ROOT))
                    .text("message", finding.message());
            finding.advice().ifPresent(advice -> json.text("advice", advice));
            return json.toString();
        }));
    }
}
