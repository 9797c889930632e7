// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static io.millrace.lab.report.JsonNumbers.put;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Trace;
import io.millrace.lab.statistics.Estimate;
import io.millrace.lab.statistics.Values;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One result as a row of the report.
 *
 * <p>{@code operations}, {@code wallSeconds}, {@code userSeconds} and {@code systemSeconds} are totals of one unit of
 * work. {@code outcomes} belong to the round with the fewest successes. {@code samples} has all rounds, warm-ups
 * included, with the figures of the whole round.
 */
final class ResultJson {

    private static final Figure UNIT_OPERATIONS =
            sample -> OptionalDouble.of((double) sample.operations() / sample.units());

    private final Result result;

    ResultJson(Result result) {
        this.result = result;
    }

    void write(ObjectNode node) {
        Contender.Description description = result.contender().description();
        node.put("experiment", result.experiment());
        node.put("variant", JsonWriter.variant(result));
        node.put("contender", description.library());
        put(node, "rttMillis", result.roundTrip().toNanos() / 1e6);
        node.put("operations", Math.round(median(UNIT_OPERATIONS, 0)));
        ArrayNode walls = node.putArray("wallSeconds");
        result.counted().forEach(sample -> walls.add(JsonNumbers.rounded(sample.wallSeconds() / sample.units())));
        put(node, "medianWallSeconds", median(Figure.UNIT_SECONDS, Double.NaN));
        double perSecond = median(Figure.PER_SECOND, Double.NaN);
        put(node, "operationsPerSecond", Double.isFinite(perSecond) ? Math.round(perSecond) : Double.NaN);
        put(node, "userSeconds", median(Figure.USER_SECONDS, Double.NaN));
        put(node, "systemSeconds", median(Figure.SYSTEM_SECONDS, Double.NaN));
        put(node, "cpuMicrosPerOperation", median(Figure.CLIENT_CPU_MICROS, Double.NaN));
        node.put("verified", result.isVerified());
        outcomes(node);
        put(node, "idealSeconds", median(Figure.own("idealSeconds"), Double.NaN));
        node.put("unfair", description.unfair().orElse(null));
        node.put("note", description.note());
        more(node, description);
    }

    private double median(Figure figure, double otherwise) {
        double median = Values.of(result, figure).median();
        return Double.isFinite(median) ? median : otherwise;
    }

    private void outcomes(ObjectNode node) {
        Optional<Outcomes> worst = result.counted().stream()
                .map(sample -> sample.details().outcomes().orElseGet(() -> Outcomes.ok(sample.operations())))
                .min(Comparator.comparingLong(Outcomes::ok));
        if (worst.isPresent()) {
            write(node.putObject("outcomes"), worst.get());
        } else {
            node.putNull("outcomes");
        }
    }

    private static void write(ObjectNode node, Outcomes outcomes) {
        node.put("ok", outcomes.ok())
                .put("error", outcomes.error())
                .put("timedOut", outcomes.timedOut())
                .put("refused", outcomes.refused())
                .put("lost", outcomes.lost());
    }

    /** The fields that other programs need not read. */
    private void more(ObjectNode node, Contender.Description description) {
        node.put("scenario", result.scenario().name());
        node.put("title", result.scenario().title());
        node.put("mode", description.mode()).put("reference", description.isReference());
        node.put("unit", result.scenario().unit());
        node.put("documentation", description.documentation());
        node.put("failure", failure());
        result.scenario()
                .measure()
                .ifPresentOrElse(
                        measure -> node.putObject("measure")
                                .put("name", measure.name())
                                .put("lessIsBetter", measure.lessIsBetter()),
                        () -> node.putNull("measure"));
        node.put("comparedByMode", result.scenario().isComparedByMode());
        node.put("base", result.scenario().base().orElse(null));
        put(node, "operationsPerSecondInterval", Estimate.of(result, Figure.PER_SECOND, Report.SEED));
        put(node, "serverMicrosPerOperation", median(Figure.SERVER_CPU_MICROS, Double.NaN));
        put(node, "serverBusy", median(Figure.SERVER_BUSY, Double.NaN));
        ObjectNode figures = node.putObject("figures");
        result.scenario()
                .figures()
                .forEach((name, figure) -> put(figures, name, Estimate.of(result, figure, Report.SEED)));
        last(result.counted().stream()
                        .map(sample -> sample.details().remark())
                        .flatMap(Optional::stream)
                        .toList())
                .ifPresent(remark -> node.put("remark", remark));
        ArrayNode samples = node.putArray("samples");
        result.samples().forEach(sample -> write(samples.addObject(), sample));
        last(result.counted().stream()
                        .filter(sample -> !sample.seconds().isEmpty())
                        .toList())
                .ifPresent(sample -> sample.seconds()
                        .forEach(second -> write(node.withArray("seconds").addObject(), second)));
        last(result.counted().stream()
                        .flatMap(sample -> sample.details().trace().stream())
                        .toList())
                .ifPresent(trace -> write(node.putObject("trace"), trace));
    }

    private static <T> Optional<T> last(List<T> list) {
        return list.isEmpty() ? Optional.empty() : Optional.of(list.getLast());
    }

    /** Why the row does not count: the failure of a round, or the first complaint about the data. */
    private @Nullable String failure() {
        return result.failure()
                .or(() -> result.samples().stream()
                        .flatMap(sample -> sample.complaints().stream())
                        .findFirst())
                .orElse(null);
    }

    private void write(ObjectNode node, Sample sample) {
        node.put("fork", sample.fork())
                .put("round", sample.round())
                .put("units", sample.units())
                .put("operations", sample.operations());
        put(node, "wallSeconds", sample.wallSeconds());
        put(node, "userSeconds", sample.client().userSeconds());
        put(node, "systemSeconds", sample.client().systemSeconds());
        node.put("cpuExact", sample.client().isExact());
        sample.server().ifPresent(cpu -> {
            put(node, "serverSeconds", cpu.seconds());
            node.put("serverExact", cpu.isExact());
        });
        sample.memory().ifPresent(memory -> {
            node.put("heapPeakBytes", memory.heapPeakBytes()).put("collections", memory.collections());
            put(node, "collectionSeconds", memory.collectionSeconds());
        });
        result.scenario()
                .measure()
                .ifPresent(measure ->
                        put(node, "measure", measure.figure().of(sample).orElse(Double.NaN)));
        ObjectNode figures = node.putObject("figures");
        new TreeMap<>(sample.details().figures()).forEach((name, value) -> put(figures, name, value));
        result.scenario()
                .figures()
                .forEach((name, figure) -> put(figures, name, figure.of(sample).orElse(Double.NaN)));
        sample.complaints().forEach(node.putArray("complaints")::add);
    }

    private static void write(ObjectNode node, ProgressEvent.Second second) {
        node.put("second", second.number()).put("issued", second.issued());
        write(node, second.outcomes());
        node.put("pending", second.pending());
        if (second.serverCommands() < 0) {
            node.putNull("serverCommands");
        } else {
            node.put("serverCommands", second.serverCommands());
        }
    }

    private static void write(ObjectNode node, Trace trace) {
        node.put("tasksPerMark", trace.tasksPerMark());
        trace.producedMillis().forEach(node.putArray("producedMillis")::add);
        trace.consumedMillis().forEach(node.putArray("consumedMillis")::add);
    }
}
