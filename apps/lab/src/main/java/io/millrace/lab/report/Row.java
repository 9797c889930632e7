// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * One result, read from a report. Rows of older reports have no samples; their values come from {@code wallSeconds} and
 * count as rounds of one process.
 *
 * @param measured values of the figure by which the scenario compares
 * @param isReference whether the row is shown, but takes no part in comparisons: a small program that shows what the
 *     server can give, or a mode of Millrace that is not the default
 */
record Row(JsonNode json, String scenario, String library, String mode, Values measured, boolean isReference) {

    private static final String SMALL_PROGRAM = "raw-socket";

    /** Older reports do not say which modes of Millrace are references. */
    private static final Pattern OTHER_MODE =
            Pattern.compile("(.*-)?(unfused|one-connection|fused-writes|bulk-writer)");

    private static final Set<String> EXPERIMENTS_WITH_OTHER_MODES = Set.of("calls", "e2", "e3", "bulk");

    static Row of(JsonNode json) {
        String variant = json.path("variant").asString("");
        String library = json.path("contender").asString("");
        return new Row(
                json,
                json.path("scenario").asString(variant),
                library,
                json.path("mode").asString(""),
                json.path("samples").isArray() ? samples(json, Row::measured) : rates(json),
                library.equals(SMALL_PROGRAM) || json.path("reference").asBoolean(isOtherMode(json, library)));
    }

    private static boolean isOtherMode(JsonNode json, String library) {
        return library.equals(Findings.OURS)
                && EXPERIMENTS_WITH_OTHER_MODES.contains(json.path("experiment").asString(""))
                && OTHER_MODE.matcher(json.path("mode").asString("")).matches();
    }

    private static Values rates(JsonNode json) {
        double operations = json.path("operations").asDouble(0);
        return Values.ofOneFork(json.path("wallSeconds")
                .valueStream()
                .map(seconds -> operations / seconds.asDouble())
                .toList());
    }

    private static OptionalDouble measured(JsonNode sample) {
        if (sample.has("measure")) {
            return number(sample.path("measure"));
        }
        return OptionalDouble.of(sample.path("operations").asDouble(0)
                / sample.path("wallSeconds").asDouble(Double.NaN));
    }

    private static Values samples(JsonNode json, Function<JsonNode, OptionalDouble> value) {
        var collector = new Values.Collector();
        json.path("samples")
                .valueStream()
                .filter(sample -> sample.path("round").asInt(0) > 0)
                .forEach(sample -> collector.add(sample.path("fork").asInt(1), value.apply(sample)));
        return collector.values();
    }

    private static OptionalDouble number(JsonNode node) {
        return node.isNumber() ? OptionalDouble.of(node.asDouble()) : OptionalDouble.empty();
    }

    /** The values of a figure that the contender or the scenario gives. */
    Values figure(String name) {
        return json.path("samples").isArray()
                ? samples(json, sample -> number(sample.path("figures").path(name)))
                : Values.ofOneFork(
                        number(json.path("figures").path(name)).stream().boxed().toList());
    }

    /** All figures of the last round by their names; empty in a report without samples. */
    Map<String, Double> lastFigures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        JsonNode samples = json.path("samples");
        samples.path(samples.size() - 1)
                .path("figures")
                .propertyStream()
                .filter(figure -> figure.getValue().isNumber())
                .forEach(
                        figure -> figures.put(figure.getKey(), figure.getValue().asDouble()));
        return figures;
    }

    /** Seconds of wall time for one unit of work. */
    Values unitSeconds() {
        return samples(
                json,
                sample -> OptionalDouble.of(sample.path("wallSeconds").asDouble(Double.NaN)
                        / sample.path("units").asDouble(1)));
    }

    /** CPU time per operation in microseconds, without rounds that are too short for an exact time. */
    Values cpuMicros(boolean ofServer) {
        if (!json.path("samples").isArray()) {
            String name = ofServer ? "serverMicrosPerOperation" : "cpuMicrosPerOperation";
            return Values.ofOneFork(number(json.path(name)).stream().boxed().toList());
        }
        return samples(json, sample -> {
            boolean isExact = sample.path(ofServer ? "serverExact" : "cpuExact").asBoolean(false);
            double seconds = ofServer
                    ? sample.path("serverSeconds").asDouble(0)
                    : sample.path("userSeconds").asDouble(0)
                            + sample.path("systemSeconds").asDouble(0);
            double operations = sample.path("operations").asDouble(0);
            return isExact && operations > 0 ? OptionalDouble.of(seconds * 1e6 / operations) : OptionalDouble.empty();
        });
    }

    /** Median over the counted rounds of a number of each sample, such as {@code collections}; empty if unknown. */
    OptionalDouble median(String field) {
        double median = samples(json, sample -> number(sample.path(field))).median();
        return Double.isFinite(median) ? OptionalDouble.of(median) : OptionalDouble.empty();
    }

    /** Headings of the figures that the scenario shows in addition to the usual columns. */
    List<String> headings() {
        return json.path("figures").propertyStream().map(Map.Entry::getKey).toList();
    }

    String label() {
        return mode.isEmpty() ? library : library + "/" + mode;
    }

    boolean isVerified() {
        return json.path("verified").asBoolean(false);
    }

    /** Whether the row takes part in comparisons. */
    boolean isCompared() {
        return isVerified() && text("unfair").isEmpty() && !isReference() && measured.count() > 0;
    }

    /** The text of a field; empty if the field is null, missing or blank. */
    Optional<String> text(String field) {
        return Optional.of(json.path(field).asString("")).filter(text -> !text.isBlank());
    }

    double rttMillis() {
        return json.path("rttMillis").asDouble(0);
    }

    /** Experiment, variant, contender and distance, which are unique within a report. */
    String key() {
        return List.of("experiment", "variant", "contender").stream()
                        .map(field -> json.path(field).asString(""))
                        .collect(Collectors.joining(" "))
                + " " + rttMillis();
    }
}
