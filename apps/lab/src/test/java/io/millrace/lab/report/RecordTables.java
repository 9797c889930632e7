// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Puts tables of a record into a document: after {@code <!-- record: FILE ROUND-TRIP BASE VARIANT… -->} comes a table
 * with a line for each contender and a column for each variant, of rates as multiples of the base contender's. In place
 * of a contender, {@code factor} stands for multiples of the contender's own first variant's rate, {@code ideal} for
 * its time as a multiple of the ideal one, and {@code nanos} for nanoseconds per operation.
 */
final class RecordTables {

    private static final Pattern PLACE =
            Pattern.compile("(<!-- record: (\\S+) ([\\d.]+) (\\S+) ([^>]*?) -->\\n)((?:\\|.*\\n)*)");

    /** Figures that need no base. */
    private static final Map<String, ToDoubleFunction<JsonNode>> OWN = Map.of(
            "factor", result -> result.path("factor").doubleValue(),
            "ideal", result -> seconds(result) / result.path("idealSeconds").doubleValue(),
            "nanos", result -> 1e9 * seconds(result) / result.path("operations").doubleValue());

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
                        Stream.of(base).filter(name -> !OWN.containsKey(name)),
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
        var own = OWN.get(base);
        var value = own != null
                ? figure(results, contender, variant, own)
                : figure(results, contender, variant, RecordTables::rate)
                        .flatMap(mine -> figure(results, base, variant, RecordTables::rate)
                                .map(theirs -> mine / theirs));
        return value.map(figure -> String.format(Locale.ROOT, figure < 10 ? "%.2f" : "%,.0f", figure))
                .orElse("");
    }

    /** Empty if it was not measured, or does not count. */
    private static Optional<Double> figure(
            List<JsonNode> results, String contender, String variant, ToDoubleFunction<JsonNode> of) {
        return results.stream()
                .filter(result -> result.path("contender").stringValue().equals(contender)
                        && result.path("variant").stringValue().equals(variant)
                        && result.path("verified").booleanValue())
                .map(of::applyAsDouble)
                .findFirst();
    }

    private static double rate(JsonNode result) {
        return result.path("operationsPerSecond").doubleValue();
    }

    private static double seconds(JsonNode result) {
        return result.path("medianWallSeconds").doubleValue();
    }
}
