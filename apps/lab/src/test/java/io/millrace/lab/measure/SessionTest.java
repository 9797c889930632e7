// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.TestServer;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sessions with tiny scenarios, real worker JVMs and a real server. */
class SessionTest {

    private static final RoundPlan ONE_ROUND = RoundPlan.ONE_UNIT.withRounds(1);

    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private final List<ProcessHandle> before =
            ProcessHandle.current().children().toList();

    @AfterEach
    void noProcessIsLeft() {
        assertThat(TestExperiment.prepared()).isEmpty();
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isSubsetOf(before);
    }

    private List<String> lines() {
        return progress.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private List<Result> run(
            Parameters parameters, UnaryOperator<RoundPlan> plan, RedisServer server, String... contenders) {
        Set<String> chosen = Set.of(contenders);
        var options = Session.Options.of(parameters, TestWorker.class)
                .withPlan(plan)
                .withChosen(contender -> chosen.contains(contender.label()));
        Experiment experiment = TestExperiment.of("test", parameters);
        var line = new ProgressLine(new PrintStream(progress, true, StandardCharsets.UTF_8), OptionalInt.empty());
        try (var session = Session.open(server, options, line)) {
            assertThat(session.run(experiment)).isEqualTo(session.results());
            return session.results();
        }
    }

    private static Result of(List<Result> results, String label) {
        return results.stream()
                .filter(result -> result.contender().label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    private static List<Double> pids(Result result) {
        return result.samples().stream()
                .map(sample -> sample.details().figures().get("pid"))
                .toList();
    }

    @Test
    void orderRotatesAndEachForkHasItsOwnProcess() {
        List<Result> results = run(
                Parameters.DEFAULT,
                plan -> plan.withForks(2).withWarmUps(1).withRounds(2),
                RedisServer.start(),
                "good/a",
                "good/b",
                "good/c");

        String order = lines().stream()
                .map(line -> line.replaceFirst(".*good/(.), process (.).*", "$1$2"))
                .collect(Collectors.joining(" "));
        assertThat(order).isEqualTo("a1 b1 c1 b1 c1 a1 c1 a1 b1 a2 b2 c2 b2 c2 a2 c2 a2 b2");
        assertThat(results).hasSize(3).allSatisfy(result -> {
            assertThat(result.isVerified()).isTrue();
            assertThat(result.samples())
                    .extracting(Sample::fork, Sample::round)
                    .containsExactly(tuple(1, 0), tuple(1, 1), tuple(1, 2), tuple(2, 0), tuple(2, 1), tuple(2, 2));
            assertThat(pids(result).subList(0, 3)).containsOnly(pids(result).getFirst());
            assertThat(result.samples()).allSatisfy(sample -> {
                assertThat(sample.operations()).isEqualTo(TestExperiment.KEYS);
                assertThat(sample.wallSeconds()).isPositive();
                assertThat(sample.server().orElseThrow().seconds()).isPositive();
                assertThat(sample.memory().orElseThrow().heapPeakBytes()).isPositive();
                assertThat(sample.seconds())
                        .extracting(ProgressEvent.Second::issued)
                        .containsExactly(7L);
            });
        });
        assertThat(results.stream().flatMap(result -> pids(result).stream()).distinct())
                .hasSize(6);
    }

    @Test
    void contenderThatHasDoneItsLastRoundHoldsNoConnection() {
        List<Result> results =
                run(Parameters.DEFAULT, plan -> ONE_ROUND, RedisServer.start(), "good/a", "good/b", "good/c");

        assertThat(results.stream()
                        .flatMap(result -> result.samples().stream())
                        .map(sample -> sample.details().figures().get("connections"))
                        .distinct())
                .hasSize(1);
    }

    @Test
    void failedContendersEndAndOthersContinue() {
        List<Result> results = run(
                Parameters.DEFAULT,
                plan -> plan.withRounds(2),
                RedisServer.start(),
                "does-not-open",
                "throws",
                "dies",
                "short",
                "good/a",
                "script",
                "script-fails",
                "script-without-space");

        assertThat(of(results, "throws").failure()).contains("throws, RUN failed: IllegalStateException: enough");
        assertThat(of(results, "does-not-open").failure())
                .contains("does-not-open, OPEN failed: IllegalStateException: the connection is refused");
        assertThat(of(results, "dies").failure())
                .contains("dies, RUN failed: the worker JVM ended. Its own messages are above");
        assertThat(of(results, "script-fails").failure()).contains("exit code 3: no luck");
        assertThat(of(results, "script-without-space").failure().orElseThrow())
                .startsWith("script-without-space cannot prepare its input: cause=IOException: no space. Check");
        assertThat(of(results, "dies").samples()).isEmpty();
        assertThat(of(results, "short").counted())
                .hasSize(2)
                .allSatisfy(sample -> assertThat(sample.complaints()).containsExactly("keys: expected=10, found=9"));
        assertThat(of(results, "script").samples()).hasSize(2).allSatisfy(sample -> {
            assertThat(sample.details().remark()).contains("+OK");
            assertThat(sample.client().seconds()).isBetween(0.0, sample.wallSeconds() * 4);
        });
        assertThat(results.stream()
                        .filter(Result::isVerified)
                        .map(result -> result.contender().label()))
                .containsExactly("good/a", "script");
        assertThat(lines()).filteredOn(line -> line.contains(", throws, ")).hasSize(1);
    }

    @Test
    void unitRepeatsUntilTheMinimumOrTheMaximumNumber() {
        Duration minimum = Duration.ofMillis(50);
        RoundPlan untilMinimum = new RoundPlan(1, 0, 1, minimum, Integer.MAX_VALUE, Duration.ZERO);

        Sample byTime = run(Parameters.DEFAULT, plan -> untilMinimum, RedisServer.start(), "short-unit")
                .getFirst()
                .samples()
                .getFirst();
        Sample byNumber = run(
                        Parameters.DEFAULT,
                        plan -> untilMinimum.withMinimum(Duration.ofHours(1)).withMaxUnits(3),
                        RedisServer.start(),
                        "short-unit")
                .getFirst()
                .samples()
                .getFirst();

        assertThat(byTime.wallSeconds()).isGreaterThanOrEqualTo(0.05);
        assertThat(byTime.units()).isGreaterThan(1);
        assertThat(byTime.operations()).isEqualTo(5L * byTime.units());
        assertThat(byTime.server()).isEmpty();
        assertThat(byNumber.units()).isEqualTo(3);
    }

    @Test
    void quickRunSharesTheProcessOfALibraryAndReplacesItAfterAFailure() {
        List<Result> results =
                run(Parameters.QUICK, plan -> plan, RedisServer.start(), "good/a", "good/b", "throws", "short-unit");

        assertThat(pids(of(results, "good/a"))).hasSize(1).isEqualTo(pids(of(results, "good/b")));
        assertThat(of(results, "throws").failure()).isPresent();
        assertThat(of(results, "short-unit").isVerified()).isTrue();
    }

    @Test
    void passwordReachesWorkersOnlyOverTheirInput() {
        var redis = EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword("hidden-from-all"));
        var server = RedisServer.at(TestServer.target(redis), Keyspace.PREFIX_ALONE, redis::close);

        List<Result> results = run(Parameters.DEFAULT, plan -> ONE_ROUND, server, "good/a", "throws");

        assertThat(of(results, "good/a").isVerified()).isTrue();
        assertThat(lines()).hasSize(2).noneMatch(line -> line.contains("hidden-from-all"));
    }

    @Test
    void expectedDurationCountsRoundsAndProcesses() {
        var options = Session.Options.of(Parameters.DEFAULT, TestWorker.class)
                .withChosen(contender -> contender.label().equals("short-unit"));
        var line = new ProgressLine(new PrintStream(progress), OptionalInt.empty());

        try (var session = Session.open(RedisServer.start(), options, line)) {
            Duration expected = session.expected(List.of(TestExperiment.of("test", Parameters.DEFAULT)));

            // Three processes start in 1.5 s and have four rounds of one second with an overhead of 50 ms.
            assertThat(expected).isEqualTo(Duration.ofMillis(3 * (1_500 + 4 * 1_050)));
        }
    }
}
