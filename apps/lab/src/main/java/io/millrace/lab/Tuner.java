// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.experiment.Sweep;
import io.millrace.lab.experiment.Tuning;
import io.millrace.lab.report.Curve;
import io.millrace.lab.report.Curve.Point;
import io.millrace.lab.report.Findings.Setting;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Durations;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Route;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.WarmProcesses;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Finds settings: sweeps one after the other, and holds what it would recommend against the best point once more. */
final class Tuner {

    /** What a recommended value must reach of the best one: what is beyond that costs more than it brings. */
    static final double RECOMMENDED = 0.97;

    /** What it must reach when both are measured again in turn. */
    static final double CONFIRMED = 0.95;

    /** The lowest value that reaches this is the knee of the curve. */
    static final double KNEE = 0.90;

    private final Session session;
    private final Size size;
    private final Predicate<Contender> chosen;
    private final List<Run> runs = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();
    private final List<Setting> settings = new ArrayList<>();

    /** With rounds of as many milliseconds as {@code size} has operations. */
    Tuner(Session session, Size size, Predicate<Contender> chosen) {
        this.session = session;
        this.size = size;
        this.chosen = chosen;
    }

    /** Everything that was measured. */
    List<Run> runs() {
        return List.copyOf(runs);
    }

    List<Curve> curves() {
        return List.copyOf(curves);
    }

    List<Setting> settings() {
        return List.copyOf(settings);
    }

    /** Sweeps over every route; does nothing if none of its points is chosen. */
    void tune() {
        if (Sweep.ALL.stream().flatMap(sweep -> sweep.contenders().stream()).noneMatch(chosen)) {
            return;
        }
        for (var route : session.routes()) {
            var found = tune(route);
            boolean fuses = found.getOrDefault(Sweep.FUSION, 1L) > 0;
            var where = route.roundTrip().isZero() ? "" : ", with " + Durations.text(route.roundTrip());
            settings.add(new Setting(
                    "millrace load" + where,
                    "--connections " + found.get(Sweep.CONNECTIONS) + " --in-flight " + found.get(Sweep.IN_FLIGHT)
                            + (fuses ? "" : " --no-fusion")));
            settings.add(new Setting(
                    "the library, bulk writers: " + found.get(Sweep.CONNECTIONS) + where,
                    "client.bulkWriter(new BulkOptions(" + found.get(Sweep.IN_FLIGHT)
                            + ", 8L << 20, Duration.ofSeconds(60)" + (fuses ? "" : ", Fusion.NONE") + "), listener)"));
            settings.add(new Setting(
                    "the library, many callers, and pipelines that are run when they hold " + found.get(Sweep.BATCH)
                            + where,
                    "ClientOptions.builder(uri).connections(" + found.get(Sweep.SHARED) + ").build()"));
        }
    }

    /** What is recommended for each sweep. */
    private Map<Sweep, Long> tune(Route route) {
        var found = new LinkedHashMap<Sweep, Long>();
        var link = Link.measure(session.server(), route);
        try (var processes = new WarmProcesses()) {
            for (var sweep : Sweep.ALL) {
                var curve = curve(
                        sweep, route, link, Tuning.held(sweep, found.getOrDefault(Sweep.IN_FLIGHT, 0L)), processes);
                curves.add(curve);
                found.put(sweep, curve.recommended());
            }
        }
        return found;
    }

    private Curve curve(Sweep sweep, Route route, Link link, Map<String, Long> held, WarmProcesses processes) {
        var swept = measure(sweep, route, held, contender -> true, processes);
        runs.addAll(swept);
        var points = swept.stream().map(Tuner::point).toList();
        long best = best(points);
        long recommended = lowest(points, RECOMMENDED);
        double confirmed = 1;
        while (recommended != best) {
            confirmed = confirm(sweep, route, held, recommended, best, processes);
            if (confirmed >= CONFIRMED) {
                break;
            }
            recommended = next(points, recommended);
            confirmed = 1;
        }
        var bottleneck = Bottleneck.of(sweep, link, held, run(swept, sweep, recommended));
        return new Curve(
                sweep.experiment(),
                sweep.setting(),
                sweep.title(),
                route.roundTrip(),
                held,
                points,
                best,
                lowest(points, KNEE),
                recommended,
                bottleneck.word(),
                bottleneck.why()
                        + (recommended == best
                                ? ""
                                : String.format(Locale.ROOT, "; measured again in turn, %.2f of the best", confirmed)));
    }

    private List<Run> measure(
            Sweep sweep, Route route, Map<String, Long> held, Predicate<Contender> chosen, WarmProcesses processes) {
        var settingsOfContenders = held.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().toString()));
        var measured =
                session.runner().run(sweep, size, session.server(), route, chosen, settingsOfContenders, processes);
        measured.stream().filter(run -> !run.verified()).findFirst().ifPresent(run -> {
            throw new LabException("a point of the sweep cannot be used: "
                    + run.contender().label() + ", cause=" + run.failure().orElse("wrong data"));
        });
        return measured;
    }

    private double confirm(
            Sweep sweep, Route route, Map<String, Long> held, long recommended, long best, WarmProcesses processes) {
        var both = List.of(sweep.point(recommended), sweep.point(best));
        var again = measure(sweep, route, held, both::contains, processes);
        return rate(run(again, sweep, recommended)) / rate(run(again, sweep, best));
    }

    private static Run run(List<Run> runs, Sweep sweep, long value) {
        return runs.stream()
                .filter(run -> run.contender().equals(sweep.point(value)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("not measured: " + value));
    }

    private static Point point(Run run) {
        return new Point(
                Sweep.valueOf(run.contender()),
                Figure.PER_SECOND.of(run),
                Figure.CPU_MICROS.of(run).median().orElse(Double.NaN),
                Figure.SERVER_SHARE.of(run).median().orElse(Double.NaN));
    }

    private static double rate(Run run) {
        return Figure.PER_SECOND.of(run).median().orElse(Double.NaN);
    }

    static long best(List<Point> points) {
        return points.stream()
                .max(Comparator.comparingDouble(Tuner::rate))
                .orElseThrow()
                .value();
    }

    /** The lowest value whose rate is at least {@code part} of the best. */
    static long lowest(List<Point> points, double part) {
        double most = points.stream().mapToDouble(Tuner::rate).max().orElseThrow();
        return points.stream()
                .filter(point -> rate(point) >= part * most)
                .findFirst()
                .orElseThrow()
                .value();
    }

    /** The value after {@code value}; the best one if that is lower. */
    private static long next(List<Point> points, long value) {
        return points.stream()
                .mapToLong(Point::value)
                .filter(other -> other > value)
                .findFirst()
                .orElseGet(() -> best(points));
    }

    private static double rate(Point point) {
        return point.perSecond().median().orElse(Double.NaN);
    }
}
