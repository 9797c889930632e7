// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.report.RecordFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the names in all experiments, and the names of experiments in the documents. */
class ExperimentsTest {

    private static final Path ROOT = Path.of("../..");
    private static final List<String> DOCUMENTS = List.of(
            "README.md",
            "apps/lab/README.md",
            "docs/benchmarks.md",
            "docs/bitmaps.md",
            "docs/fusion.md",
            "docs/packed.md");
    private static final List<String> USUAL_FIGURES = List.of("seconds", "cpu", "server-cpu");
    private static final Pattern MARKER = Pattern.compile("<!-- record: ([^>]*?) -->");

    /** A round has a given length and takes most of the time of a record, or all rounds have the same figure. */
    private static final Set<String> FEWER_ROUNDS = Set.of("e2", "latency", "queues", "e7", "lost-gone", "lost-silent");

    /** Scenarios with several modes of Millrace, none of which is compared. */
    private static final Set<String> ONLY_REFERENCES = Set.of("loads strings");

    /** Modes of Millrace that are not the default. */
    private static final Pattern OTHER_MODE =
            Pattern.compile("(.*-)?(unfused|one-connection|fused-writes|bulk-writer|lease)");

    private static final Map<String, Experiment> EXPERIMENTS = Experiments.all(Parameters.DEFAULT).stream()
            .collect(Collectors.toMap(Experiment::name, Function.identity()));

    private static List<String> labels(Scenario scenario) {
        return scenario.contenders().stream().map(Contender::label).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void barsAndBasesNameExistingContendersAndScenarios(boolean quick) {
        for (Experiment experiment : Experiments.all(quick ? Parameters.QUICK : Parameters.DEFAULT)) {
            for (Scenario scenario : experiment.scenarios()) {
                String name = experiment.name() + " " + scenario.name();
                assertThat(labels(scenario)).as(name).doesNotHaveDuplicates();
                assertThat(quick || !labels(scenario).isEmpty()).as(name).isTrue();
                for (Bar bar : scenario.bars()) {
                    assertThat(labels(scenario))
                            .as(name)
                            .contains(bar.contender())
                            .containsAll(bar.others());
                }
                scenario.base()
                        .ifPresent(base -> assertThatCode(() -> experiment.scenario(base))
                                .as(name)
                                .doesNotThrowAnyException());
            }
        }
    }

    static Stream<Arguments> markers() throws IOException {
        Stream.Builder<Arguments> markers = Stream.builder();
        // The figures of README, also while the documents have no markers.
        for (String figure : List.of(
                "ratio bulk set jedis redis-cli-pipe/set",
                "ratio bulk set jedis/mset-64 redis-cli-pipe/set",
                "ratio bulk set redis-cli-pipe/mset redis-cli-pipe/set",
                "ratio bulk set millrace/unfused redis-cli-pipe/set",
                "ratio bulk set millrace/fused redis-cli-pipe/set",
                "ratio bulk csv-hash millrace/process redis-cli-pipe/hset",
                "figure bulk postgres-memory millrace/process-256m largest_heap_after_a_collection_MiB")) {
            markers.add(Arguments.of("wanted", "<!-- record: " + figure + " -->"));
        }
        for (String document : DOCUMENTS) {
            MARKER.matcher(Files.readString(ROOT.resolve(document)))
                    .results()
                    .map(MatchResult::group)
                    .forEach(marker -> markers.add(Arguments.of(document, marker)));
        }
        return markers.build();
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("markers")
    void markerOfADocumentNamesAnExistingFigure(String document, String marker) {
        List<String> words = List.of(marker.replaceAll("<!-- record: | -->", "").split(" +"));
        if (words.size() == 1) {
            assertThat(words.getFirst()).isIn("link", "micro", "environment", "limits");
            return;
        }
        Experiment experiment = Objects.requireNonNull(EXPERIMENTS.get(words.get(1)), words.get(1));
        if (words.size() == 2) {
            assertThat(words.getFirst()).isIn("findings", "table", "factors", "picture");
            return;
        }
        Scenario scenario = experiment.scenario(words.get(2).replaceAll("@.*", ""));
        int contenders = words.getFirst().equals("ratio") ? 2 : 1;
        assertThat(labels(scenario)).containsAll(words.subList(3, 3 + contenders));
        if (words.size() > 3 + contenders) {
            String figure = words.get(3 + contenders);
            assertThat(Stream.concat(USUAL_FIGURES.stream(), scenario.figures().keySet().stream()))
                    .contains(USUAL_FIGURES.contains(figure) ? figure : figure.replace('_', ' '));
        }
    }

    @Test
    void documentsHaveMarkers() throws IOException {
        assertThat(markers()).hasSizeGreaterThan(50);
    }

    @Test
    void benchmarksNameEveryExperimentThatTheNewestRecordMisses() throws IOException {
        Path record = RecordFigures.newestComplete(Path.of("runs")).orElseThrow();
        List<String> measured = RecordFigures.experiments(record);
        String benchmarks = Files.readString(ROOT.resolve("docs/benchmarks.md"));

        for (Experiment experiment : Experiments.all(Parameters.DEFAULT)) {
            if (!measured.contains(experiment.name())) {
                assertThat(benchmarks)
                        .as(
                                "the record %s misses the experiment %s. Make a new record, or add a place for its findings"
                                        + " to docs/benchmarks.md: RecordFiguresTest writes that the record misses it",
                                record, experiment.name())
                        .contains(RecordFigures.notMeasured(experiment.name()));
            }
        }
    }

    @Test
    void benchmarksHaveAPlaceForEveryExperimentThatComparesLibraries() throws IOException {
        Set<String> places = markers()
                .map(marker -> String.valueOf(marker.get()[1]).replaceAll("<!-- record: | -->", ""))
                .flatMap(marker -> Stream.of(marker.split(" +")).skip(1).limit(1))
                .collect(Collectors.toSet());

        assertThat(places)
                .containsAll(Experiments.all(Parameters.DEFAULT).stream()
                        .filter(experiment ->
                                experiment.scenarios().stream().anyMatch(ExperimentsTest::comparesLibraries))
                        .map(Experiment::name)
                        .toList());
    }

    private static boolean comparesLibraries(Scenario scenario) {
        return scenario.measure().isPresent()
                && scenario.contenders().stream()
                                .map(contender -> contender.description().library())
                                .distinct()
                                .count()
                        > 1;
    }

    @Test
    void comparedLibrariesHaveAtLeastFiveRounds() {
        for (Experiment experiment : Experiments.all(Parameters.DEFAULT)) {
            assertThat(experiment.scenarios())
                    .filteredOn(ExperimentsTest::comparesLibraries)
                    .filteredOn(scenario ->
                            !FEWER_ROUNDS.contains(experiment.name()) && !FEWER_ROUNDS.contains(scenario.name()))
                    .allSatisfy(scenario -> assertThat(
                                    scenario.plan().forks() * scenario.plan().rounds())
                            .as(experiment.name() + " " + scenario.name())
                            .isGreaterThanOrEqualTo(5));
        }
    }

    /**
     * Two processes of the same program differ, because the JIT compiler makes different decisions. A contender that is a
     * process has a new process for each round.
     */
    @Test
    void repeatedUnitsOfComparedLibrariesHaveSeveralProcesses() {
        for (Experiment experiment : EXPERIMENTS.values()) {
            assertThat(experiment.scenarios())
                    .filteredOn(ExperimentsTest::comparesLibraries)
                    .filteredOn(scenario -> (scenario.plan().minimum().isPositive()
                                    || scenario.plan().warmUps() > 0)
                            && scenario.contenders().stream().anyMatch(JvmContender.class::isInstance))
                    .allSatisfy(scenario -> assertThat(scenario.plan().forks())
                            .as(experiment.name() + " " + scenario.name())
                            .isGreaterThanOrEqualTo(2));
        }
    }

    private static Stream<Contender.Description> ours(Scenario scenario) {
        return scenario.contenders().stream()
                .map(Contender::description)
                .filter(contender -> contender.library().equals("millrace"));
    }

    /** A library with more modes than the others would win more often by chance. */
    @ParameterizedTest
    @MethodSource("comparisonsWithTheBestMode")
    void millraceTakesPartInEachComparisonWithOneMode(String name, Scenario scenario) {
        List<String> compared = ours(scenario)
                .filter(contender -> contender.unfair().isEmpty() && !contender.isReference())
                .map(contender -> contender.mode().replaceFirst("^(platform|virtual)", ""))
                .distinct()
                .toList();

        assertThat(compared).as(name).hasSize(ONLY_REFERENCES.contains(name) ? 0 : 1);
        if (!name.startsWith("e3 ")) { // Pipelines are compared with the mode that sends the same commands.
            assertThat(compared).as(name).noneMatch(OTHER_MODE.asMatchPredicate());
        }
    }

    static Stream<Arguments> comparisonsWithTheBestMode() {
        return EXPERIMENTS.values().stream()
                .flatMap(experiment -> experiment.scenarios().stream()
                        .filter(scenario -> comparesLibraries(scenario) && !scenario.isComparedByMode())
                        .filter(scenario -> ours(scenario).findAny().isPresent())
                        .map(scenario -> Arguments.of(experiment.name() + " " + scenario.name(), scenario)));
    }

    /** The pictures of the documents show compared contenders and references. */
    @Test
    void eachUnfairModeOfMillraceIsAReference() {
        assertThat(EXPERIMENTS.values())
                .flatExtracting(Experiment::scenarios)
                .allSatisfy(scenario -> assertThat(ours(scenario))
                        .filteredOn(contender -> contender.unfair().isPresent())
                        .as(scenario.name())
                        .allMatch(Contender.Description::isReference));
    }

    @Test
    void experimentsWithAPayloadExist() {
        assertThat(EXPERIMENTS).containsKeys(MeasureOptions.WITH_PAYLOAD.toArray(String[]::new));
    }

    @Test
    void connectionPatternsShowTimesAndCpu() {
        assertThat(Objects.requireNonNull(EXPERIMENTS.get("e1")).scenarios())
                .allSatisfy(scenario ->
                        assertThat(scenario.figures()).containsOnlyKeys("wall s", "user s", "system s", "CPU %"));
    }
}
