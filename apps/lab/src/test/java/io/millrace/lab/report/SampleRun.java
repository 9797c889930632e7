// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Trace;
import io.millrace.lab.measure.Environment;
import io.millrace.lab.measure.Missing;
import io.millrace.lab.server.CpuTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** A run with everything that a report can show: rates, latencies, seconds, traces, failures, markup in texts. */
public final class SampleRun {

    private static final String MARKUP = "<script>alert('&')</script>";

    static final Environment ENVIRONMENT = new Environment(
            Instant.parse("2026-11-24T10:00:00Z"),
            Optional.of("0123456789abcdef"),
            "OpenJDK 25",
            Optional.of("A processor"),
            2,
            OptionalDouble.of(0.25),
            "7.0.15",
            Map.of("jedis", "8.0.2", "lettuce", "7.7.0"));

    public static JvmContender contender(String library, String mode) {
        return contender(library, mode, Optional.empty());
    }

    private static JvmContender contender(String library, String mode, Optional<String> unfair) {
        var description =
                new Contender.Description(library, mode, "settings of " + library, "https://example.org/" + library);
        var contender = new JvmContender(description, context -> {
            throw new IllegalStateException("a sample is never run");
        });
        return unfair.map(contender::unfair).orElse(contender);
    }

    /** A round of one unit with 1,000 operations at the given rate. */
    public static Sample sample(int fork, int round, double perSecond, RoundDetails details) {
        return new Sample(
                fork,
                round,
                1_000,
                1,
                1_000 / perSecond,
                new CpuTime(0.3, 0.1, 0.01),
                Optional.of(new CpuTime(0.2, 0.1, 1e-6)),
                Optional.of(new Sample.MemoryUse(64 << 20, 2, 0.005)),
                details,
                List.of(),
                List.of());
    }

    /** A warm-up round at a tenth of the rate, then rounds at the given rates: three for each process. */
    public static Result result(String experiment, Scenario scenario, Contender contender, double... rates) {
        List<Sample> samples = new ArrayList<>(List.of(sample(1, 0, rates[0] / 10, RoundDetails.NONE)));
        IntStream.range(0, rates.length)
                .forEach(index -> samples.add(sample(
                        1 + index / 3,
                        1 + index % 3,
                        rates[index],
                        RoundDetails.NONE.withFigure("p99 µs", 1e8 / rates[index]))));
        return new Result(experiment, scenario, contender, Duration.ZERO, samples, Optional.empty());
    }

    private static double[] around(double rate) {
        return new double[] {rate, rate * 1.02, rate * 0.98, rate * 1.01, rate * 0.99, rate};
    }

    /** The complete run. */
    static MeasuredRun complete() {
        List<Result> results = new ArrayList<>();
        List<Scenario> calls = List.of(
                calls("64-callers", "64 callers"), calls("load-50", "Half of the load"), calls("load-90", "High load"));
        for (Scenario scenario : calls) {
            double load = scenario.name().equals("load-50") ? 0.5 : 1;
            results.add(result("calls", scenario, contender("jedis", "pool"), around(50_000 * load)));
            results.add(result("calls", scenario, contender("lettuce", "shared-connection"), around(100_000 * load)));
            results.add(result("calls", scenario, contender("spring", ""), around(99_500 * load)));
            results.add(result("calls", scenario, contender("vertx", ""), around(load < 1 ? 144_500 : 60_000)));
            results.add(result("calls", scenario, contender("millrace", "shared"), around(290_000 * load)));
            results.add(result(
                    "calls",
                    scenario,
                    contender("raw-socket", "with-a-long-name-of-a-mode", Optional.of("no errors " + MARKUP)),
                    around(400_000 * load)));
        }
        Scenario tasks = Scenario.named("slow-producer", "Slow producer")
                .unit("tasks")
                .comparedBy("seconds", Figure.WALL_SECONDS, true)
                .build();
        results.add(traced(tasks, "fs2", 100));
        results.add(traced(tasks, "millrace", 104));
        Scenario flood = Scenario.named("flood", "Bounded against unbounded, " + MARKUP)
                .server(ServerUse.checkedBy((server, sample) -> List.of()))
                .notCompared()
                .build();
        results.add(seconds(flood, "glide", Optional.empty()));
        results.add(seconds(flood, "millrace", Optional.of("the worker ended: " + MARKUP)));
        List<Experiment> experiments = List.of(
                new Experiment("calls", "Calls that wait", "How many calls fit into a second?", calls),
                new Experiment("e4", "Task processing", "How close to the ideal?", List.of(tasks)),
                new Experiment("e2", "Asynchronous throughput", "Who limits what is pending?", List.of(flood)));
        return new MeasuredRun(
                ENVIRONMENT,
                "lab run",
                true,
                experiments,
                results,
                List.of(new Missing("calls", "", "redis-benchmark", "not on the PATH " + MARKUP)),
                Map.of(Duration.ofMillis(1), Duration.ofNanos(1_020_000)),
                List.of(Map.of("name", "slow-producer", "consumeMillis", List.of(10.0, 20.0))),
                List.of("for jedis: maxTotal=64"));
    }

    private static Scenario calls(String name, String title) {
        return Scenario.named(name, title)
                .server(ServerUse.checkedBy((server, sample) -> List.of()))
                .figure("p99 µs", Figure.own("p99 µs"))
                .bars(Bar.ratio(
                        "per second",
                        "millrace/shared",
                        Figure.PER_SECOND,
                        List.of("jedis/pool", "lettuce/shared-connection"),
                        Bar.Limit.atLeast(3)))
                .build();
    }

    private static Result traced(Scenario scenario, String library, double rate) {
        List<Double> marks =
                IntStream.range(0, 100).mapToObj(mark -> 100.0 * mark).toList();
        var trace = new Trace(marks.subList(0, 10), 10, marks);
        List<Sample> samples = IntStream.rangeClosed(1, 4)
                .mapToObj(round -> sample(
                        1,
                        round,
                        rate + round,
                        RoundDetails.NONE.withTrace(trace).withFigure("idealSeconds", 9.5)))
                .toList();
        return new Result("e4", scenario, contender(library, "batch"), Duration.ZERO, samples, Optional.empty());
    }

    private static Result seconds(Scenario scenario, String library, Optional<String> failure) {
        List<ProgressEvent.Second> seconds = IntStream.rangeClosed(1, 10)
                .mapToObj(number -> new ProgressEvent.Second(
                        number, 300_000, new Outcomes(200_000, 0, 1_000L * number, 0, 0), 50_000L * number, 210_000))
                .toList();
        Sample plain = sample(1, 1, 20_000, RoundDetails.NONE.withOutcomes(new Outcomes(900, 40, 30, 20, 10)));
        Sample sample = new Sample(
                1,
                1,
                plain.operations(),
                2,
                plain.wallSeconds(),
                plain.client(),
                Optional.empty(),
                Optional.empty(),
                plain.details(),
                seconds,
                List.of());
        return new Result("e2", scenario, contender(library, "flood"), Duration.ofMillis(1), List.of(sample), failure);
    }

    private SampleRun() {}
}
