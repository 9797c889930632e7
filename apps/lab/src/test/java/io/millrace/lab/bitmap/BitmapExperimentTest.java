// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.TestServer;
import io.millrace.lab.bulk.RoundOnServer;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contender does its work, and every check finds one wrong bit. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BitmapExperimentTest {

    private static final int SIZE = 3_001;
    private static final String SPARSE_KEY = ActivityLoad.key(BitmapExperiment.SPARSE, BitmapExperiment.DAY);
    private static final Experiment BITMAPS = BitmapExperiment.of(RoundOnServer.size(SIZE));

    private final RedisServer server = TestServer.start();
    private final RoundOnServer round;

    BitmapExperimentTest(@TempDir Path folder) {
        round = new RoundOnServer(server, RoundOnServer.size(SIZE), folder);
    }

    @AfterAll
    void close() {
        server.close();
    }

    static Stream<Arguments> contenders() {
        return BITMAPS.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender -> Arguments.of(scenario.name(), contender.label())));
    }

    private Sample run(String scenario, String label) throws Exception {
        return round.run(BITMAPS.scenario(scenario), BITMAPS.scenario(scenario).contender(label), 1);
    }

    private List<String> complaints(String scenario, Sample sample) {
        return round.complaints(BITMAPS.scenario(scenario), sample);
    }

    private void flip(String key, long offset) {
        server.control().setbit(key, offset, !server.control().getbit(key, offset));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyContenderPassesTheCheck(String scenario, String label) throws Exception {
        var sample = run(scenario, label);

        assertThat(complaints(scenario, sample)).isEmpty();
        assertThat(sample.details().figures().values()).allMatch(figure -> figure > 0);
    }

    @Test
    void callsSetAHundredthOfTheBits() throws Exception {
        assertThat(run("population", "millrace/calls").operations()).isEqualTo(SIZE / 100);
        assertThat(run("population", "millrace/pipeline").operations()).isEqualTo(SIZE);
    }

    @Test
    void eachLibrarySetsEachBitByACommand() throws Exception {
        for (var library : List.of("jedis", "millrace")) {
            var unused = run("population", library + "/pipeline");

            assertThat(server.statistics("setbit").complaints("setbit", SIZE))
                    .as(library)
                    .isEmpty();
        }
    }

    @Test
    void oneWrongBitIsFound() throws Exception {
        var sample = run("population", "millrace/packed");

        flip(RandomBits.KEY, SIZE - 1);
        var flipped = complaints("population", sample);
        server.control().del(RandomBits.KEY);

        assertThat(flipped).singleElement().asString().contains("differs=375");
        assertThat(complaints("population", sample)).containsExactly("bytes: expected=376, found=none");
        assertThat(complaints("population", RoundOnServer.with(sample, 7, 1)))
                .containsExactly("bits: expected=3001 or 30, stored=7");
    }

    @Test
    void oneMarkTooManyInALoadedMonthIsFound() throws Exception {
        var sample = run("month-load", "millrace");

        flip(Month.key(29), SIZE);

        assertThat(complaints("month-load", sample))
                .singleElement()
                .asString()
                .startsWith("ids on the server: day=2026-11-30");
    }

    @ParameterizedTest
    @MethodSource("questions")
    void wrongAnswerIsFound(String scenario, String label) throws Exception {
        var experiment = BitmapExperiment.of(RoundOnServer.size(SIZE - 1));
        var asked = experiment.scenario(scenario);
        var filledWithMore = BITMAPS.scenario(scenario).server();

        var wrong = new io.millrace.lab.experiment.Scenario(
                asked.name(),
                asked.title(),
                asked.unit(),
                asked.contenders(),
                asked.plan(),
                filledWithMore.filledBy(redis -> {
                    filledWithMore.fill().fill(redis);
                    IntStream.range(0, Month.DAYS)
                            .forEach(day -> redis.control().setbit(Month.key(day), SIZE - 1, true));
                }),
                Map.of(),
                asked.roundTrip(),
                asked.figures(),
                List.of(),
                asked.measure(),
                asked.isComparedByMode(),
                asked.base());
        var sample = round.run(wrong, wrong.contender(label), 1);

        assertThat(sample.complaints()).singleElement().asString().contains("wrong answer");
    }

    static Stream<Arguments> questions() {
        return Question.ALL.stream()
                .flatMap(question -> Stream.of("jedis", "millrace")
                        .map(library -> Arguments.of("month-" + question.word(), library)));
    }

    @Test
    void keyThatAQuestionLeavesIsFound() throws Exception {
        var sample = run("month-every-week", "jedis");

        server.control().set("millrace-lab:left", "behind");

        assertThat(complaints("month-every-week", sample)).containsExactly("keys: expected=30, found=31");
    }

    @Test
    void oneMissingSparseIdIsFound() throws Exception {
        var sample = run("sparse-spread-bitmap", "millrace");
        long first = server.control().bitpos(SPARSE_KEY, true);

        flip(SPARSE_KEY, first);
        var lost = complaints("sparse-spread-bitmap", sample);
        server.control().set(SPARSE_KEY.getBytes(StandardCharsets.UTF_8), new byte[0]);

        assertThat(lost)
                .containsExactly("ids on the server: day=2026-11-01, expected=3001, found=3000, and not the same");
        assertThat(complaints("sparse-spread-bitmap", sample)).hasSize(1);
    }

    @Test
    void answersOfAMonthAgreeWithSetsOfIds() {
        var month = new Month(500);
        var days = IntStream.range(0, Month.DAYS)
                .mapToObj(day -> month.ids(day).boxed().collect(Collectors.toSet()))
                .toList();
        var weeks = IntStream.range(0, 4)
                .mapToObj(week -> union(days.subList(7 * week, 7 * week + 7)))
                .toList();
        var everyWeek = new HashSet<>(weeks.getFirst());
        weeks.forEach(everyWeek::retainAll);
        var retention = IntStream.range(0, Month.DAYS)
                .boxed()
                .flatMap(row -> days.subList(row, Month.DAYS).stream()
                        .map(later ->
                                days.get(row).stream().filter(later::contains).count()))
                .toList();

        assertThat(month.counts())
                .isEqualTo(days.stream().map(day -> (long) day.size()).toList());
        assertThat(month.union()).isEqualTo(union(days).size());
        assertThat(month.everyWeek()).isEqualTo(everyWeek.size()).isPositive();
        assertThat(month.retention()).isEqualTo(retention).hasSize(465);
    }

    private static Set<Long> union(List<Set<Long>> days) {
        return days.stream().flatMap(Set::stream).collect(Collectors.toSet());
    }
}
