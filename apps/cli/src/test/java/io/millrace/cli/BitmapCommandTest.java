// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Span;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests {@code millrace bitmap}. */
class BitmapCommandTest {

    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 16);

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
    }

    @AfterAll
    static void end() {
        keyspace.close();
        redis.close();
    }

    @BeforeEach
    void clear() {
        keyspace.clear();
    }

    private static CliRun bitmap(String... args) {
        return CliRun.of(CliRun.args(List.of("bitmap", "-p", Integer.toString(redis.port())), args));
    }

    private static String out(String... args) {
        CliRun run = bitmap(args);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        return run.out().replace(System.lineSeparator(), "\n");
    }

    @Test
    void populationIsCreatedCountedAndListed() {
        String created = out("create", "coin", "--population", "100000", "--less-than", "10", "--of", "1000");

        long count = keyspace.number("BITCOUNT", "{coin}:bits");
        assertThat(count).isBetween(800L, 1_200L);
        assertThat(created)
                .matches("(?s)created coin in [0-9.]+ s: 100,000 bits, [0-9,]+ of them set"
                        + " \\(10 of 1,000 expected, seed [0-9]+\\)\nkey \\{coin}:bits, [0-9,]+ bytes\n");
        assertThat(out("count", "coin")).isEqualTo(count + "\n");
        assertThat(out("members", "coin").lines()).hasSize((int) count);
        long first = Long.parseLong(out("members", "coin", "--limit", "1").strip());
        assertThat(keyspace.number("GETBIT", "{coin}:bits", Long.toString(first)))
                .isEqualTo(1);
    }

    @Test
    void sameSeedCreatesTheSameBits() {
        for (String name : List.of("one", "two")) {
            out("create", name, "--population", "5000", "--less-than", "1", "--of", "2", "--seed", "7");
        }
        out("create", "other", "--population", "5000", "--less-than", "1", "--of", "2", "--seed", "8");

        assertThat(out("members", "one")).isEqualTo(out("members", "two")).isNotEqualTo(out("members", "other"));
    }

    @Test
    void defaultsAreTenMillionBitsOfWhichOneInAHundredIsSet() {
        String json = out("create", "coin", "--json");

        assertThat(json)
                .startsWith("{\"name\":\"coin\",\"key\":\"{coin}:bits\",\"bits\":10000000,\"set\":")
                .containsPattern(",\"lessThan\":10,\"of\":1000,\"seed\":[0-9]+,\"bytes\":")
                .endsWith("}\n")
                .hasLineCount(1);
        assertThat(keyspace.number("BITCOUNT", "{coin}:bits")).isBetween(99_000L, 101_000L);
        assertThat(keyspace.number("STRLEN", "{coin}:bits")).isEqualTo(1_250_000);
    }

    @Test
    void populationIsReportedAsJson() {
        out("create", "every", "--population", "3", "--less-than", "1", "--of", "1");

        assertThat(out("count", "every", "--json")).isEqualTo("{\"name\":\"every\",\"count\":3}\n");
        assertThat(out("members", "every", "--json")).isEqualTo("{\"name\":\"every\",\"members\":[0,1,2]}\n");
        assertThat(out("members", "every", "--json", "--limit", "2"))
                .isEqualTo("{\"name\":\"every\",\"members\":[0,1]}\n");
    }

    @ParameterizedTest
    @EnumSource
    void activityIsQueriedWithItsStoredEncoding(Encoding encoding) {
        Activity active = Activity.of(
                keyspace.client(), "site", ActivityOptions.keptForever().encoding(encoding));
        active.load("login", Span.day(MONDAY), LongStream.of(1, 2, 3, 4));
        active.load("login", Span.day(MONDAY.plusDays(1)), LongStream.of(3, 4, 5_000_000));
        String[] week = {"site", "--event", "login", "--from", "2026-11-16", "--spans", "3"};

        assertThat(out(CliRun.args(List.of("count"), week))).isEqualTo("""
                        2026-11-16                4
                        2026-11-17                3
                        2026-11-18                0
                        union                     5
                        """);
        assertThat(out(CliRun.args(List.of("count", "--json"), week)))
                .isEqualTo("{\"name\":\"site\",\"event\":\"login\",\"spans\":["
                        + "{\"span\":\"2026-11-16\",\"count\":4},{\"span\":\"2026-11-17\",\"count\":3},"
                        + "{\"span\":\"2026-11-18\",\"count\":0}],\"union\":5}\n");
        assertThat(out(CliRun.args(List.of("members"), week))).isEqualTo("1\n2\n3\n4\n5000000\n");
        assertThat(out("members", "site", "--event", "login", "--from", "2026-11-17"))
                .isEqualTo("3\n4\n5000000\n");
        assertThat(out(CliRun.args(List.of("retention"), week))).isEqualTo("""
                        2026-11-16                4  50.0%   0.0%
                        2026-11-17                3   0.0%
                        2026-11-18                0
                        """);
        assertThat(out(CliRun.args(List.of("retention", "--json"), week)))
                .isEqualTo("{\"name\":\"site\",\"event\":\"login\",\"cohorts\":["
                        + "{\"span\":\"2026-11-16\",\"active\":[4,2,0]},{\"span\":\"2026-11-17\",\"active\":[3,0]},"
                        + "{\"span\":\"2026-11-18\",\"active\":[0]}]}\n");
    }

    @Test
    void firstSpanOfAnActivityWithHoursIsAnHour() {
        Activity.of(keyspace.client(), "site", ActivityOptions.keptForever().granularity(Granularity.HOUR))
                .mark("login", 7, LocalDateTime.of(2026, 11, 22, 13, 30));

        assertThat(out("count", "site", "--event", "login", "--from", "2026-11-22T13"))
                .isEqualTo("2026-11-22T13             1\nunion                     1\n");
        CliRun day = bitmap("count", "site", "--event", "login", "--from", "2026-11-22");
        assertThat(day.code()).isEqualTo(2);
        assertThat(day.err())
                .startsWith("millrace: --from does not fit the granularity of the activity: granularity=HOUR."
                        + " Write an hour of UTC, such as 2026-11-22T13.");
    }

    @Test
    void hourIsRefusedForAnActivityWithDays() {
        Activity.of(keyspace.client(), "site", ActivityOptions.keptForever()).mark("login", 7, MONDAY);

        CliRun hour = bitmap("count", "site", "--event", "login", "--from", "2026-11-16T13");

        assertThat(hour.code()).isEqualTo(2);
        assertThat(hour.err())
                .startsWith("millrace: --from does not fit the granularity of the activity: granularity=DAY."
                        + " Write a day without an hour, such as 2026-11-22.");
    }

    @Test
    void populationsWithoutASeedDifferAndThePrintedSeedRepeatsTheBits() {
        String[] coin = {"--population", "5000", "--less-than", "1", "--of", "2"};
        String first = out(CliRun.args(List.of("create", "one"), coin));
        out(CliRun.args(List.of("create", "two"), coin));
        Matcher seed = Pattern.compile("seed (\\d+)\\)").matcher(first);
        assertThat(seed.find()).isTrue();
        out(CliRun.args(List.of("create", "again", "--seed", seed.group(1)), coin));

        assertThat(out("members", "one")).isEqualTo(out("members", "again")).isNotEqualTo(out("members", "two"));
    }

    @Test
    void existingPopulationIsReplacedOnlyByRequest() {
        out("create", "coin", "--population", "100", "--less-than", "1", "--of", "1");

        CliRun refused = bitmap("create", "coin", "--population", "50", "--less-than", "1", "--of", "1");

        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err())
                .startsWith("millrace: a population with this name exists: name=coin. Choose another name, or add"
                        + " --replace to replace the population.");
        assertThat(out("count", "coin")).isEqualTo("100\n");
        out("create", "coin", "--population", "50", "--less-than", "1", "--of", "1", "--replace");
        assertThat(out("count", "coin")).isEqualTo("50\n");
    }

    /** Like {@code millrace bitmap members every | head}. */
    @Test
    void listOfMembersEndsWhenTheOutputIsClosed() {
        out("create", "every", "--population", "64000000", "--less-than", "1", "--of", "1");
        long before = ranges();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int code = Millrace.run(
                CliRun.args(List.of("bitmap", "-p", Integer.toString(redis.port())), "members", "every"),
                InputStream.nullInputStream(),
                new PrintStream(new ClosedAfterAFewBytes(), false, UTF_8),
                new PrintStream(err, false, UTF_8),
                Map.of());

        assertThat(code).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("the result could not be written to standard output");
        assertThat(ranges() - before).as("fetched blocks of 62").isBetween(1L, 20L);
    }

    private static long ranges() {
        Matcher calls = Pattern.compile("cmdstat_getrange:calls=(\\d+)")
                .matcher(keyspace.client().call(Server.info("commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** Refuses all bytes after the first hundred. */
    private static final class ClosedAfterAFewBytes extends OutputStream {

        private int count;

        @Override
        public void write(int b) throws IOException {
            if (++count > 100) {
                throw new IOException("broken pipe");
            }
        }
    }

    @Test
    void missingPopulationOrActivityIsAUsageError() {
        CliRun population = bitmap("count", "none");
        CliRun activity = bitmap("count", "none", "--event", "login", "--from", "2026-11-16");
        CliRun name = bitmap("create", "}x");

        assertThat(population.code()).isEqualTo(2);
        assertThat(population.err())
                .startsWith(
                        "millrace: there is no population: name=none. To query an activity, add --event and --from.");
        assertThat(activity.code()).isEqualTo(2);
        assertThat(activity.err())
                .startsWith("millrace: there is no activity: name=none. Check the name, the server and the database.");
        assertThat(name.code()).isEqualTo(2);
        assertThat(name.err()).contains("begins with a closing brace: name=}x");
        assertThat(keyspace.size()).isZero();
    }

    @Test
    void invalidStoredValuesEndWithAnErrorOfTheServer() {
        keyspace.call("HSET", "{coin}:population", "bits", "-1", "ones", "0");

        CliRun run = bitmap("count", "coin");

        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err())
                .contains("the hash that describes a population has invalid values")
                .hasLineCount(1);
    }

    @Test
    void serverThatCannotBeReachedHasItsOwnExitCode() {
        CliRun run = CliRun.of("bitmap", "count", "coin", "-p", "1");

        assertThat(run.code()).isEqualTo(5);
    }

    @Test
    void serverOptionsMayStandBeforeTheCommand() {
        out("create", "every", "--population", "3", "--less-than", "1", "--of", "1");

        CliRun run = CliRun.of("-p", Integer.toString(redis.port()), "bitmap", "count", "every");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().strip()).isEqualTo("3");
    }

    @Test
    void textsAreEscapedInJson() {
        assertThat(new JsonObject()
                        .text("a\"b", "c\\d\n\u0001é")
                        .number("n", -1)
                        .toString())
                .isEqualTo("{\"a\\\"b\":\"c\\\\d\\n\\u0001é\",\"n\":-1}");
        assertThat(JsonObject.array(Stream.of("1", "\"x\""))).isEqualTo("[1,\"x\"]");
    }
}
