// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.statistics.Estimate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneAdviceTest {

    private static final ClientLibrary LIBRARY = new ClientLibrary(
            "jedis", "", List.of(new UsageMode("pool", "", Set.of(Capability.CALL, Capability.BATCH), () -> {
                throw new UnsupportedOperationException();
            })));

    /** One result for each point of {@code sweep}, with 6 rounds at {@code rates[i]} and some noise. */
    private static List<Result> results(Sweep sweep, double noise, double serverBusy, double... rates) {
        List<TunePoint> points = sweep.points(LIBRARY, false);
        List<Contender> contenders = points.stream()
                .<Contender>map(point -> new JvmContender(new Description("jedis", point.label(), "", ""), point))
                .toList();
        Scenario scenario = Scenario.named(sweep.scenario + "-jedis", "")
                .contenders(contenders)
                .build();
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            List<Sample> samples = new ArrayList<>();
            for (int round = 1; round <= 6; round++) {
                double rate = rates[i] * (1 + noise * (round % 3 - 1));
                samples.add(sample(round, (long) rate, serverBusy));
            }
            results.add(new Result(
                    TuneExperiment.NAME, scenario, contenders.get(i), Duration.ZERO, samples, Optional.empty()));
        }
        return results;
    }

    private static Sample sample(int round, long operations, double serverBusy) {
        return new Sample(
                1,
                round,
                operations,
                1,
                1,
                new CpuTime(0.5, 0, 0.01),
                Optional.of(new CpuTime(serverBusy, 0, 1e-6)),
                Optional.empty(),
                RoundDetails.NONE,
                List.of(),
                List.of());
    }

    @Test
    void smallestValueNearTheBestRateIsRecommended() {
        List<Result> results = results(Sweep.CONNECTIONS, 0.001, 0.2, 93_000, 98_000, 100_000);

        Curve curve = Curve.of(results, 42).getFirst();

        assertThat(curve.best().point().value()).isEqualTo(64);
        assertThat(curve.knee().point().value()).isEqualTo(1);
        assertThat(curve.recommended().point().value()).isEqualTo(8);
        assertThat(TuneAdvice.of(results, false, 42))
                .singleElement()
                .asString()
                .startsWith("jedis, connections: use 8, 98,000 commands per second")
                .contains("knee at 1")
                .contains("set: poolConfig.setMaxTotal(8); poolConfig.setMaxIdle(8)");
    }

    @Test
    void noSettingIsRecommendedWhereTheNoiseIsLargerThanTheEffect() {
        List<Result> results = results(Sweep.CONNECTIONS, 0.3, 0.2, 95_000, 97_000, 100_000);

        assertThat(TuneAdvice.of(results, false, 42))
                .containsExactly("jedis, connections: no difference larger than the noise between 1 and 64");
    }

    /** The first value is slower than the best by less than the usual difference between the two processes of a value. */
    @Test
    void noSettingIsRecommendedWhereTwoProcessesDifferByMoreThanTheEffect() {
        List<Result> one = results(Sweep.CONNECTIONS, 0.001, 0.2, 85_000, 95_000, 100_000);
        List<Result> results = List.of(
                withSecondProcess(one.get(0), 1),
                withSecondProcess(one.get(1), 0.8),
                withSecondProcess(one.get(2), 0.8));

        assertThat(Curve.of(results, 42).getFirst().noise()).isBetween(0.15, 0.25);
        assertThat(TuneAdvice.of(results, false, 42))
                .containsExactly("jedis, connections: no difference larger than the noise between 1 and 64");
    }

    @Test
    void oneDisturbedProcessDoesNotHideTheEffect() {
        List<Result> one = results(Sweep.CONNECTIONS, 0.001, 0.2, 40_000, 90_000, 100_000);
        List<Result> results = List.of(
                withSecondProcess(one.get(0), 1), withSecondProcess(one.get(1), 1), withSecondProcess(one.get(2), 0.5));

        Curve curve = Curve.of(results, 42).getFirst();

        assertThat(curve.noise()).isEqualTo(0.05);
        assertThat(curve.recommended().point().value()).isGreaterThanOrEqualTo(8);
    }

    private static Result withSecondProcess(Result result, double ofFirst) {
        List<Sample> samples = Stream.concat(
                        result.samples().stream(),
                        result.samples().stream()
                                .map(sample -> sample(2, sample.round(), Math.round(sample.operations() * ofFirst))))
                .toList();
        return new Result(
                result.experiment(), result.scenario(), result.contender(), Duration.ZERO, samples, Optional.empty());
    }

    private static Sample sample(int fork, int round, long operations) {
        Sample first = sample(round, operations, 0.2);
        return new Sample(
                fork,
                round,
                operations,
                1,
                1,
                first.client(),
                first.server(),
                first.memory(),
                first.details(),
                first.seconds(),
                first.complaints());
    }

    /** The processes of the values of one library together tell how much two processes differ. */
    @Test
    void eachCurveHasAtLeastThreeProcessesAndSeveralOfEachValue() {
        assertThat(TuneExperiment.of(Parameters.DEFAULT).scenarios()).allSatisfy(scenario -> {
            assertThat(scenario.plan().forks()).isGreaterThanOrEqualTo(2);
            assertThat(scenario.plan().forks() * scenario.contenders().size()).isGreaterThanOrEqualTo(3);
            assertThat(scenario.plan().forks() * scenario.plan().rounds()).isGreaterThanOrEqualTo(Estimate.MIN_COUNT);
        });
    }

    @Test
    void resultWithWrongDataIsNoPointOfACurve() {
        List<Result> results = new ArrayList<>(results(Sweep.BATCH, 0.001, 0.2, 10_000, 90_000, 100_000));
        Result best = results.removeLast();
        results.add(new Result(
                best.experiment(),
                best.scenario(),
                best.contender(),
                best.roundTrip(),
                best.samples(),
                Optional.of("wrong data")));

        Curve curve = Curve.of(results, 42).getFirst();

        assertThat(curve.best().point().value()).isEqualTo(30);
        assertThat(curve.points()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            # server busy; window; seconds of a command; server is local; processors; bottleneck
            0.98; 10000; ;        false; 4; server CPU (server CPU 98 %, client CPU 13 %)
            0.98; 10000; ;        true;  1; client CPU (server CPU 98 %, client CPU 148 %)
            0.2;  1;     0.00095; false; 8; round trip (server CPU 20 %, client CPU 6 %, round trip 95 %)
            0.1;  100;   0.001;   false; 8; unknown (server CPU 10 %, client CPU 6 %, round trip 1 %)
            """)
    void bottleneckIsTheResourceThatIsUsedMostAndIsBusy(
            double serverBusy, int window, @Nullable Double seconds, boolean isLocal, int cores, String bottleneck) {
        Result result = results(Sweep.BATCH, 0, serverBusy, 1, 1, 1_000).getLast();
        OptionalDouble single = seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds);

        assertThat(Bottleneck.of(result, window, single, isLocal, cores)).hasToString(bottleneck);
    }
}
