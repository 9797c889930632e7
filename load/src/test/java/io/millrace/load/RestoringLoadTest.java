// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.RestoringLoads.fields;
import static io.millrace.load.RestoringLoads.rows;
import static io.millrace.load.RestoringLoads.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loads of hashes that are written with {@code RESTORE}, on a real server. */
@ExtendWith(NoThreadLeft.class)
class RestoringLoadTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long HOUR_MILLIS = HOUR.toMillis();
    private static final HashTarget HASH = HashTarget.of("k:{id}");
    private static final HashTarget EXPIRING = HASH.withTtl(HOUR);
    private static final LoadOptions VERIFYING =
            LoadOptions.builder().verify(Verification.FULL).build();

    private static RestoringLoads loads;

    @BeforeAll
    static void startRedis() {
        loads = new RestoringLoads();
    }

    @AfterAll
    static void stopRedis() {
        loads.close();
    }

    @BeforeEach
    void clear() {
        loads.clear();
    }

    static Stream<Target> scriptedTargets() {
        return Stream.of(
                EXPIRING,
                EXPIRING.withTtlJitter(0.5),
                HASH.withTtlField("ttl"),
                EXPIRING.withReplaceRow(),
                EXPIRING.withOnlyMissing(),
                HASH.withReplaceRow(),
                HASH.withOnlyMissing());
    }

    @ParameterizedTest
    @MethodSource("scriptedTargets")
    void rowsThatNeedAScriptAreRestoredAndEqualTheHashesOfTheScript(Target target) {
        LoadOptions options = target.options().onlyMissing() ? LoadOptions.defaults() : VERIFYING;

        LoadReport report = loads.run(target, options, rows(1_000));
        List<Reply> restored = contents();
        List<Long> memory = memory();
        long scripts = loads.calls("evalsha") + loads.calls("eval");
        long restores = loads.calls("restore");
        loads.call("FLUSHALL");
        loads.call("ACL", "SETUSER", "default", "-restore");
        LoadReport byScript;
        try {
            byScript = loads.run(target, options, rows(1_000));
        } finally {
            loads.call("ACL", "SETUSER", "default", "+restore");
        }

        assertThat(restores).isEqualTo(1_000);
        assertThat(scripts)
                .as("only the verification runs scripts")
                .isEqualTo(report.verified().isPresent() ? 1_000 : 0);
        assertThat(report.rows())
                .isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0))
                .isEqualTo(byScript.rows());
        assertThat(report.verified()).isEqualTo(byScript.verified());
        assertThat(report.verified().map(Verified::mismatched).orElse(0L)).isZero();
        assertThat(contents()).isEqualTo(restored);
        Offset<Long> tolerance = within(loads.memoryTolerance());
        assertThat(memory()).zipSatisfy(memory, (one, other) -> assertThat(one).isCloseTo(other, tolerance));
        boolean expires = expires(target);
        assertThat(loads.withoutExpiry()).isEqualTo(expires ? 0 : 1_000);
    }

    @Test
    void hashesWithoutAScriptAreNotRestored() {
        loads.run(HASH, LoadOptions.defaults(), rows(100));

        assertThat(loads.calls("restore")).isZero();
        assertThat(loads.calls("hset")).isEqualTo(100);
    }

    static Stream<Target> expiringTargets() {
        Duration brief = Duration.ofMillis(20);
        HashTarget group = HashTarget.of("k:{group}");
        return Stream.of(
                group.withTtl(brief),
                group.withTtl(brief).withTtlJitter(0.5),
                group.withTtlField("brief"),
                group.withTtl(brief).withReplaceRow(),
                group.withTtl(brief).withOnlyMissing());
    }

    /** Another client deletes keys during the load, so that each write may create its key. */
    @ParameterizedTest
    @MethodSource("expiringTargets")
    void noKeyIsWithoutItsExpiryAtAnyPointOfTheLoad(Target target) throws Exception {
        LoadOptions options = LoadOptions.builder().rate(4_000).build();
        Loader loader = new Loader(loads.options());
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<LoadReport> load =
                    thread.submit(() -> loader.run(new LoadPlan(rows(800), target, options), event -> {}));
            int looks = 0;
            while (!load.isDone()) {
                assertThat(loads.withoutExpiry()).as("look %d", looks).isZero();
                loads.call("DEL", "k:" + looks % 5);
                looks++;
            }

            assertThat(loads.withoutExpiry()).isZero();
            assertThat(load.get().rows().rejected()).isZero();
            assertThat(load.get().rows().inFlight()).isZero();
            assertThat(loads.calls("restore")).isPositive();
        }
    }

    @Test
    void abandonedLoadLeavesNoKeyWithoutItsExpiry() {
        try (TestRedis own = TestRedis.start()) {
            Loader loader = new Loader(own.options());

            LoadReport report =
                    loader.run(new LoadPlan(rows(Long.MAX_VALUE), EXPIRING, LoadOptions.defaults()), event -> {
                        if (event instanceof LoadEvent.Progress progress
                                && progress.rows().written() > 0) {
                            loader.abandon();
                        }
                    });

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.rows().written()).isPositive();
            assertThat(RestoringLoads.withoutExpiry(own)).isZero();
        }
    }

    @Test
    void foreignKeysAreUntouchedAndTheirRowsAreRejected() {
        loads.call("SET", "k:3", "a string");
        loads.call("RPUSH", "k:700", "an element");
        loads.call("SET", "k:701", "another string", "PX", "900000");

        LoadReport report = loads.run(EXPIRING, LoadOptions.defaults(), rows(1_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 997, 3, 0, 0));
        assertThat(loads.rejects()).hasSize(3).allMatch(message -> message.startsWith("WRONGTYPE"));
        assertThat(loads.call("GET", "k:3")).isEqualTo(text("a string"));
        assertThat(loads.call("GET", "k:701")).isEqualTo(text("another string"));
        assertThat(loads.call("TYPE", "k:700")).isEqualTo(new Reply.SimpleString("list"));
        assertThat(loads.integer("LLEN", "k:700")).isEqualTo(1);
        assertThat(loads.integer("PTTL", "k:3")).isEqualTo(-1);
        assertThat(loads.integer("PTTL", "k:700")).isEqualTo(-1);
        assertThat(loads.integer("PTTL", "k:701")).isBetween(1L, 900_000L);
        assertThat(loads.withoutExpiry()).isEqualTo(2);
    }

    @Test
    void existingHashesAreMergedAndGetTheExpiry() {
        loads.call("HSET", "k:0", "own", "kept", "group", "old");
        loads.call("HSET", "k:700", "own", "kept");
        loads.call("PEXPIRE", "k:700", "1000");

        LoadReport report = loads.run(EXPIRING, VERIFYING, rows(1_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
        assertThat(report.verified()).contains(new Verified(1_000, 0));
        for (int id : List.of(0, 700)) {
            Map<String, String> merged = new TreeMap<>(Map.of("own", "kept"));
            merged.putAll(fields(id));
            assertThat(loads.hash("k:" + id)).isEqualTo(merged);
            assertThat(loads.integer("PTTL", "k:" + id)).isBetween(HOUR_MILLIS / 2, HOUR_MILLIS);
        }
        assertThat(loads.withoutExpiry()).isZero();
    }

    @Test
    void onlyMissingLeavesEachExistingKeyOutWithoutARetry() {
        loads.call("SET", "k:0", "a string");
        loads.call("HSET", "k:500", "own", "kept");

        LoadReport report = loads.run(EXPIRING.withOnlyMissing(), LoadOptions.defaults(), rows(1_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 998, 0, 2, 0));
        assertThat(loads.calls("restore")).isEqualTo(1_000);
        assertThat(loads.calls("eval") + loads.calls("evalsha")).isZero();
        assertThat(loads.call("GET", "k:0")).isEqualTo(text("a string"));
        assertThat(loads.hash("k:500")).isEqualTo(Map.of("own", "kept"));
        assertThat(loads.withoutExpiry()).isEqualTo(2);
    }

    @Test
    void replacedKeysOfAnyTypeHaveExactlyTheFieldsAndTheExpiryOfTheRow() {
        for (HashTarget target : List.of(HASH.withReplaceRow(), EXPIRING.withReplaceRow())) {
            loads.call("FLUSHALL");
            loads.call("SET", "k:0", "a string");
            loads.call("HSET", "k:1", "own", "lost", "id", "old");
            loads.call("PEXPIRE", "k:1", "1000000");
            loads.call("RPUSH", "k:500", "an element");
            loads.call("CONFIG", "RESETSTAT");

            LoadReport report = loads.run(target, LoadOptions.defaults(), rows(1_000));

            assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
            assertThat(loads.calls("restore")).isEqualTo(1_000);
            for (int id : List.of(0, 1, 500)) {
                assertThat(loads.hash("k:" + id)).isEqualTo(fields(id));
                long pttl = loads.integer("PTTL", "k:" + id);
                if (expires(target)) {
                    assertThat(pttl).isBetween(HOUR_MILLIS / 2, HOUR_MILLIS);
                } else {
                    assertThat(pttl).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void shadowKeysAreRestoredAndSwapped() {
        LoadOptions swap = LoadOptions.builder()
                .reload(new Reload("test", true, false))
                .verify(Verification.FULL)
                .build();

        for (long swapped : List.of(1_000, 1_000)) {
            LoadReport report = loads.run(EXPIRING, swap, rows(1_000));

            assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
            assertThat(report.verified()).contains(new Verified(1_000, 0));
            assertThat(report.details().reloaded()).contains(new ReloadResult(swapped, 0, 0));
        }

        assertThat(loads.calls("restore")).isEqualTo(2_000);
        assertThat(loads.hash("k:7")).isEqualTo(fields(7));
        assertThat(loads.integer("PTTL", "k:7")).isBetween(HOUR_MILLIS / 2, HOUR_MILLIS);
    }

    @Test
    void rowsOfTheSameKeyAreMergedInTheOrderOfTheSource() {
        for (int round = 0; round < 20; round++) {
            loads.call("FLUSHALL");
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            List<List<@Nullable Object>> rows = new ArrayList<>();
            Map<String, Map<String, String>> expected = new HashMap<>();
            for (int i = 0; i < 3_000; i++) {
                // The first rows have keys of their own, so that many rows are in flight when a key comes again.
                String id = "" + (i < 300 ? i : random.nextInt(200 + i));
                Map<String, String> hash = expected.computeIfAbsent("k:" + id, key -> new TreeMap<>());
                List<@Nullable Object> row = new ArrayList<>(List.of(id));
                hash.put("id", id);
                for (String column : List.of("a", "b", "c")) {
                    @Nullable String value = random.nextInt(3) == 0 ? null : "v" + i;
                    value = value != null && random.nextInt(5) == 0 ? value + "x".repeat(100) : value;
                    row.add(value);
                    if (value != null) {
                        hash.put(column, value);
                    }
                }
                rows.add(row);
            }
            LoadOptions options = LoadOptions.builder()
                    .connections(1 + random.nextInt(2))
                    .inFlight(1 + random.nextInt(2_000))
                    .build();

            LoadReport report = loads.run(EXPIRING, options, TestRows.of(List.of("id", "a", "b", "c"), rows));

            assertThat(report.rows()).as("seed=%d", seed).isEqualTo(new RowCounts(3_000, 3_000, 0, 0, 0));
            expected.forEach((key, hash) ->
                    assertThat(loads.hash(key)).as("seed=%d %s", seed, key).isEqualTo(hash));
            assertThat(loads.withoutExpiry()).isZero();
        }
    }

    /** The bytes, the memory and the encoding of the first hashes. */
    private static List<Reply> contents() {
        List<Reply> contents = new ArrayList<>();
        for (int id = 0; id < 300; id++) {
            contents.add(loads.call("DUMP", "k:" + id));
            contents.add(loads.call("OBJECT", "ENCODING", "k:" + id));
        }
        return contents;
    }

    private static List<Long> memory() {
        List<Long> memory = new ArrayList<>();
        for (int id = 0; id < 300; id++) {
            memory.add(Replies.integer(loads.call("MEMORY", "USAGE", "k:" + id)));
        }
        return memory;
    }

    private static boolean expires(Target target) {
        return target.options().ttl().isPresent() || target.options().ttlField().isPresent();
    }
}
