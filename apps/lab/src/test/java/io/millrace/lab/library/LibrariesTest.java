// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import redis.clients.jedis.Jedis;

/** Every library in each of its ways, on a server that asks for a password, in a database that is not the first. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LibrariesTest {

    private static final String PASSWORD = "s3cret pass/wort@1";
    private static final int DATABASE = 1;
    private static final int BATCH = 10;
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private static final EmbeddedRedis SERVER =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));

    /** A user who may not touch keys of another name. */
    private static final Endpoint AS_A_USER =
            new Endpoint(SERVER.host(), SERVER.port(), Optional.of("lab"), Optional.of("other s3cret"), DATABASE);

    private static final Endpoint AS_DEFAULT_USER =
            new Endpoint(SERVER.host(), SERVER.port(), Optional.empty(), Optional.of(PASSWORD), DATABASE);

    /** Of a number that batches do not divide evenly, with text that is not ASCII. */
    private static final List<Pair> PAIRS = IntStream.range(0, 25)
            .mapToObj(i -> new Pair("lab:key:" + i, "värde \"" + i + "\" €\r\n"))
            .toList();

    static final List<Named> WAYS = Libraries.ALL.stream()
            .flatMap(library -> library.ways().stream().map(way -> new Named(library.name(), way)))
            .toList();

    static final List<Named> WAYS_WITHOUT_FUSION = WAYS.stream()
            .filter(way -> !way.way().name().equals(Way.PIPELINE_FUSED))
            .toList();

    static final List<Named> WAYS_WITH_BATCHES =
            WAYS.stream().filter(way -> !way.way().waits()).toList();

    /** What the test asks for, what it says itself, Redisson's script for a time to live, and handshakes. */
    private static final Set<String> COMMANDS =
            Set.of(("set get hset pexpire rpop config|resetstat evalsha eval script|load "
                            + "hello auth select client|setinfo client|setname ping info")
                    .split(" "));

    private static Jedis control = new Jedis();

    /** With a name that is short enough for a report. */
    record Named(String library, Way way) {

        Idiom open() throws Exception {
            return way.opener().open(AS_DEFAULT_USER);
        }

        @Override
        public String toString() {
            return library + " " + way.name();
        }
    }

    @BeforeAll
    static void connect() {
        control.close();
        control = JedisLibrary.connect(AS_DEFAULT_USER);
        control.aclSetUser("lab", "on", ">other s3cret", "~lab:*", "&*", "+@all");
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    @AfterAll
    static void stop() {
        control.close();
        SERVER.close();
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void whatIsSetIsFoundByAnother(Named way) throws Exception {
        try (var idiom = way.open()) {
            idiom.set(PAIRS, BATCH);
        }

        assertThat(control.dbSize()).isEqualTo(PAIRS.size());
        assertThat(PAIRS).allSatisfy(pair -> assertThat(control.get(pair.key())).isEqualTo(pair.value()));
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void valuesComeInTheOrderOfTheKeysAndNullForAMiss(Named way) throws Exception {
        PAIRS.forEach(pair -> control.set(pair.key(), pair.value()));
        var keys = new ArrayList<>(PAIRS.reversed().stream().map(Pair::key).toList());
        keys.add(3, "lab:miss");
        keys.add("lab:miss");
        keys.add(keys.getFirst());

        List<@Nullable String> values;
        try (var idiom = way.open()) {
            values = idiom.get(keys, BATCH);
        }

        List<@Nullable String> expected =
                new ArrayList<>(PAIRS.reversed().stream().map(Pair::value).toList());
        expected.add(3, null);
        expected.add(null);
        expected.add(expected.getFirst());
        assertThat(values).isEqualTo(expected);
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void fieldsArePutIntoOneHashThatLivesForATime(Named way) throws Exception {
        try (var idiom = way.open()) {
            idiom.putFields("lab:hash", PAIRS, TIME_TO_LIVE, BATCH);
        }

        assertThat(control.hgetAll("lab:hash"))
                .isEqualTo(PAIRS.stream().collect(Collectors.toMap(Pair::key, Pair::value)));
        assertThat(control.pttl("lab:hash"))
                .isBetween(TIME_TO_LIVE.minusMinutes(1).toMillis(), TIME_TO_LIVE.toMillis());
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void popsComeInOrderAndNullWhereTheListWasEmpty(Named way) throws Exception {
        control.lpush("lab:a", "1", "2", "3", "4", "5");
        control.lpush("lab:c", "6", "7");

        List<@Nullable String> popped;
        try (var idiom = way.open()) {
            popped = idiom.pop(List.of("lab:a", "lab:b", "lab:c"), 4, BATCH);
        }

        assertThat(popped).containsExactly("1", "2", "3", "4", null, null, null, null, "6", "7", null, null);
        assertThat(control.lrange("lab:a", 0, -1)).containsExactly("5");
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void anErrorInTheMiddleIsThrownByEveryMethod(Named way) throws Exception {
        control.set("lab:string", "x");
        control.rpush("lab:list", "x");

        try (var idiom = way.way().opener().open(AS_A_USER)) {
            assertThatThrownBy(
                            () -> idiom.set(List.of(new Pair("lab:1", ""), new Pair("not-ours", ""), PAIRS.get(1)), 2))
                    .satisfies(e -> assertThat(said(e)).containsPattern("NOPERM|PermissionDenied"));
            assertThatThrownBy(() -> idiom.get(List.of("lab:1", "lab:list", "lab:2"), BATCH))
                    .satisfies(e -> assertThat(said(e)).contains("WRONGTYPE"));
            assertThatThrownBy(() -> idiom.putFields("lab:string", PAIRS, TIME_TO_LIVE, BATCH))
                    .satisfies(e -> assertThat(said(e)).contains("WRONGTYPE"));
            assertThatThrownBy(() -> idiom.pop(List.of("lab:list", "lab:string", "lab:list"), 2, BATCH))
                    .satisfies(e -> assertThat(said(e)).contains("WRONGTYPE"));

            assertThat(idiom.get(List.of("lab:string"), BATCH)).containsExactly("x");
        }
    }

    @ParameterizedTest
    @FieldSource("WAYS_WITHOUT_FUSION")
    void theCommandsAreTheSameForAll(Named way) throws Exception {
        try (var idiom = way.open()) {
            control.configResetStat();

            idiom.set(PAIRS, BATCH);
            idiom.get(PAIRS.stream().map(Pair::key).toList(), BATCH);
            idiom.putFields("lab:hash", PAIRS, TIME_TO_LIVE, BATCH);
            idiom.pop(List.of("lab:a", "lab:b"), 7, BATCH);

            var calls = calls();
            assertThat(calls)
                    .containsEntry("set", 25)
                    .containsEntry("get", 25)
                    .containsEntry("hset", 25)
                    .containsEntry("pexpire", 1)
                    .containsEntry("rpop", 14);
            assertThat(calls.keySet()).isSubsetOf(COMMANDS);
        }
    }

    @Test
    void theFusedWayHasFewerCommandsThanItWasGiven() throws Exception {
        var way = new MillraceLibrary().ways().getLast();

        try (var idiom = way.opener().open(AS_DEFAULT_USER)) {
            control.configResetStat();
            idiom.set(PAIRS, PAIRS.size());
            idiom.putFields("lab:hash", PAIRS, TIME_TO_LIVE, PAIRS.size());
            idiom.pop(List.of("lab:a", "lab:b"), 7, 14);
        }

        assertThat(way.name()).isEqualTo(Way.PIPELINE_FUSED);
        assertThat(calls().get("mset")).isPositive();
        assertThat(calls().getOrDefault("set", 0)).isLessThan(PAIRS.size());
        assertThat(calls().get("hset")).isLessThan(PAIRS.size());
        assertThat(calls().get("rpop")).isLessThan(14);
        assertThat(control.hlen("lab:hash")).isEqualTo(PAIRS.size());
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void onlyAWayThatWaitsIsReadCommandByCommand(Named way) throws Exception {
        var pairs = numbered(500);
        try (var idiom = way.open()) {
            long before = reads();

            idiom.set(pairs, pairs.size());

            long reads = reads() - before;
            if (way.way().waits()) {
                assertThat(reads).isGreaterThanOrEqualTo(pairs.size());
            } else if (way.way().name().equals(Way.PIPELINE)) {
                assertThat(reads).isLessThan(pairs.size() / 10);
            }
        }
    }

    @ParameterizedTest
    @FieldSource("WAYS_WITH_BATCHES")
    void aBatchOfTenThousandWorks(Named way) throws Exception {
        var pairs = numbered(10_000);

        List<@Nullable String> values;
        try (var idiom = way.open()) {
            idiom.set(pairs, pairs.size());
            values = idiom.get(pairs.stream().map(Pair::key).toList(), pairs.size());
        }

        assertThat(values).isEqualTo(pairs.stream().map(Pair::value).toList());
        assertThat(control.dbSize()).isEqualTo(pairs.size());
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void aWrongPasswordIsRefusedAndNothingIsLeft(Named way) throws Exception {
        var before = Thread.getAllStackTraces().keySet();
        var endpoint = new Endpoint(SERVER.host(), SERVER.port(), Optional.empty(), Optional.of("n0t-it"), DATABASE);

        assertThatThrownBy(() -> way.way().opener().open(endpoint))
                .satisfies(e -> assertThat(said(e)).doesNotContain("n0t-it"));

        assertThat(LeftThreads.since(before)).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("WAYS")
    void afterItsEndNoThreadAndNoConnectionIsLeft(Named way) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        var idiom = way.open();
        idiom.set(PAIRS, BATCH);
        idiom.close();

        assertThat(LeftThreads.since(before)).isEmpty();
        assertThat(connectionsLeft()).isEmpty();
    }

    @Test
    void everyLibraryHasTheNaiveWayFirst() {
        assertThat(Libraries.ALL)
                .extracting(Library::name)
                .doesNotHaveDuplicates()
                .contains("jedis", "lettuce", "millrace");
        assertThat(Libraries.ALL).allSatisfy(library -> {
            assertThat(library.ways())
                    .extracting(Way::name)
                    .doesNotHaveDuplicates()
                    .contains(Way.PIPELINE);
            assertThat(library.ways().getFirst().name()).isEqualTo(Way.ONE_BY_ONE);
            assertThat(library.ways()).allSatisfy(way -> {
                assertThat(way.waits()).isEqualTo(way.name().equals(Way.ONE_BY_ONE));
                assertThat(way.note()).isNotBlank();
            });
        });
    }

    private static List<Pair> numbered(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Pair("lab:" + i, Integer.toString(i)))
                .toList();
    }

    /** What an exception says, and its causes. */
    private static String said(Throwable thrown) {
        return Stream.iterate(thrown, e -> e != null, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining(" < "));
    }

    private static Map<String, Integer> calls() {
        var calls = new HashMap<String, Integer>();
        Pattern.compile("cmdstat_([^:]+):calls=(\\d+)")
                .matcher(control.info("commandstats"))
                .results()
                .forEach(found -> calls.put(found.group(1), Integer.valueOf(found.group(2))));
        return calls;
    }

    private static long reads() {
        return Pattern.compile("total_reads_processed:(\\d+)")
                .matcher(control.info("stats"))
                .results()
                .map(found -> Long.valueOf(found.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> connectionsLeft() {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        var left = others();
        while (!left.isEmpty() && System.nanoTime() - giveUp < 0) {
            left = others();
        }
        return left;
    }

    private static List<String> others() {
        var own = "id=" + control.clientId() + " ";
        return control.clientList()
                .lines()
                .filter(line -> !line.startsWith(own))
                .toList();
    }
}
