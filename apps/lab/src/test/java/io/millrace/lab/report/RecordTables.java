// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Puts tables of a record into a document: after {@code <!-- record: FILE ROUND-TRIP BASE VARIANT… -->} comes a table with a line
 * for each contender and a column for each variant, of rates as multiples of the base contender's; or, if the base is {@code
 * factor}, of the contender's own first variant's.
 */
final class RecordTables {

    private static final Pattern PLACE =
            Pattern.compile("(<!-- record: (\\S+) ([\\d.]+) (\\S+) ([^>]*?) -->\\n)((?:\\|.*\\n)*)");

    private static final String FACTOR = "factor";
    private static final String RATE = "operationsPerSecond";

    private final Path root;

    /** Of the documents below {@code root}. */
    RecordTables(Path root) {
        this.root = root;
    }

    /** The text with its tables made anew. */
    String renew(String document) {
        return PLACE.matcher(document)
                .replaceAll(place -> Matcher.quoteReplacement(place.group(1)
                        + table(
                                results(place.group(2), Double.parseDouble(place.group(3))),
                                place.group(4),
                                List.of(place.group(5).split(" ")))));
    }

    static long count(String document) {
        return PLACE.matcher(document).results().count();
    }

    private List<JsonNode> results(String file, double roundTripMillis) {
        try {
            var report = JsonMapper.shared().readTree(Files.readString(root.resolve(file)));
            return StreamSupport.stream(report.path("results").spliterator(), false)
                    .filter(result -> result.path("rttMillis").doubleValue() == roundTripMillis)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String table(List<JsonNode> results, String base, List<String> variants) {
        var lines = new ArrayList<String>();
        lines.add("| | "
                + String.join(
                        " | ",
                        variants.stream().map(variant -> "`" + variant + "`").toList()) + " |");
        lines.add("|---|" + "---|".repeat(variants.size()));
        var contenders = Stream.concat(
                        Stream.of(base).filter(name -> !name.equals(FACTOR)),
                        results.stream()
                                .filter(result ->
                                        variants.contains(result.path("variant").stringValue()))
                                .map(result -> result.path("contender").stringValue()))
                .distinct()
                .toList();
        for (var contender : contenders) {
            var cells = variants.stream()
                    .map(variant -> cell(results, contender, base, variant))
                    .toList();
            lines.add("| " + contender + " | " + String.join(" | ", cells) + " |");
        }
        return String.join("\n", lines) + "\n";
    }

    private static String cell(List<JsonNode> results, String contender, String base, String variant) {
        var factor = base.equals(FACTOR)
                ? figure(results, contender, variant, FACTOR)
                : figure(results, contender, variant, RATE)
                        .flatMap(mine -> figure(results, base, variant, RATE).map(theirs -> mine / theirs));
        return factor.map(value -> String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value))
                .orElse("");
    }

    /** Empty if it was not measured, or does not count. */
    private static Optional<Double> figure(List<JsonNode> results, String contender, String variant, String name) {
        return results.stream()
                .filter(result -> result.path("contender").stringValue().equals(contender)
                        && result.path("variant").stringValue().equals(variant)
                        && result.path("verified").booleanValue())
                .map(result -> result.path(name).doubleValue())
                .findFirst();
    }
}
