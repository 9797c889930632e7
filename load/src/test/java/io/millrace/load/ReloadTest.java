// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads that replace the data of an earlier load: by a swap of shadow keys, and by the removal of old keys. */
@ExtendWith(NoThreadLeft.class)
class ReloadTest {

    private static final Reload SWAP = new Reload("test", true, false);
    private static final Reload PRUNE = new Reload("test", false, true);
    private static final Reload BOTH = new Reload("test", true, true);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<String> warnings = new ArrayList<>();

    @Test
    void swappedKeyHasItsOldDataUntilTheEndAndThenOnlyNewData() {
        REDIS.call("HSET", "h", "1000", "old", "7", "old");
        List<Long> fieldsDuringLoad = new ArrayList<>();
        RowSource rows = TestRows.of((row, opening, id) -> {
            if (id % 100 == 0) {
                fieldsDuringLoad.add(integer("HLEN", "h"));
            }
            return id < 500 && TestRows.fill(row, id, "new");
        });

        LoadReport report = run(HashFieldTarget.of("h", "{id}"), SWAP, rows);

        assertThat(report.rows()).isEqualTo(new RowCounts(500, 500, 0, 0, 0));
        assertThat(report.details().reloaded()).contains(new ReloadResult(1, 0, 0));
        assertThat(fieldsDuringLoad).hasSize(6).containsOnly(2L);
        assertThat(integer("HLEN", "h")).isEqualTo(500);
        assertThat(Replies.text(REDIS.call("HGET", "h", "7"))).contains("new");
        assertOnlyKeys("h");
    }

    static Stream<Target> targets() {
        Duration hour = Duration.ofHours(1);
        return Stream.of(
                StringTarget.of("k:{id}", "name"),
                StringTarget.of("k:{{{id}}}", "name").withTtl(hour).withTtlJitter(0.3),
                HashTarget.of("k:{id}"),
                HashTarget.of("k:{id}").withTtl(hour),
                HashTarget.of("k:{id}").withTtl(hour).withReplaceRow(),
                StringTarget.of("k:{id}", "name").withBucket(BucketOptions.of(100)),
                JsonTarget.of("k:{id}"),
                HashFieldTarget.of("k", "{id}").withTtl(hour),
                ListTarget.of("k").withValue("id"),
                ListTarget.of("k").withValue("id").withTtl(hour),
                SetTarget.of("k").withValue("id"),
                SortedSetTarget.of("k", "id").withValue("name"),
                StreamTarget.of("k"),
                BitmapTarget.of("k", "id").withTtl(hour));
    }

    /** Two swaps of the same rows leave the keyspace of one ordinary load: no element twice, and no key left over. */
    @ParameterizedTest
    @MethodSource("targets")
    void swapLeavesTheDataOfAnOrdinaryLoad(Target target) {
        run(target, LoadOptions.defaults(), TestRows.count(700));
        List<String> ordinary = content();
        REDIS.call("FLUSHALL");
        LoadOptions.Builder options = LoadOptions.builder().reload(SWAP).connections(3);
        if (target.whyNotVerifiable().isEmpty()) {
            options.verify(Verification.FULL);
        }

        LoadReport first = run(target, options.build(), TestRows.count(700));
        LoadReport second = run(target, options.build(), TestRows.count(700));

        assertThat(first.rows().written()).isEqualTo(700);
        assertThat(second.ending()).isEqualTo(new Ending.Completed());
        second.verified()
                .ifPresent(verified -> assertThat(verified.mismatched()).isZero());
        assertThat(content()).isEqualTo(ordinary);
        assertThat(warnings).isEmpty();
        assertThat(Replies.text(REDIS.call("TYPE", firstKey()))).isEqualTo(target.redisType());
    }

    @Test
    void rejectedRowPreventsTheSwapUnlessItIsAllowed() {
        REDIS.call("HSET", "h", "old", "1");
        RowSource oneWithoutId = TestRows.of((row, opening, id) -> {
            row.clear(id + 1, 0);
            if (id == 3) {
                row.addNull();
            } else {
                row.add(id);
            }
            row.add(Row.Kind.TEXT, "x");
            return id < 10;
        });
        HashFieldTarget target = HashFieldTarget.of("h", "{id}");

        LoadReport refused = run(target, SWAP, oneWithoutId);

        assertThat(refused.rows()).isEqualTo(new RowCounts(10, 0, 1, 9, 0));
        assertThat(refused.ending().reason().orElseThrow()).contains("not swapped", "rejected=1");
        assertThat(integer("HLEN", "h")).isOne();
        assertOnlyKeys("h");

        LoadReport allowed =
                run(target, LoadOptions.builder().reload(SWAP).maxErrors(1).build(), oneWithoutId);

        assertThat(allowed.rows()).isEqualTo(new RowCounts(10, 9, 1, 0, 0));
        assertThat(integer("HLEN", "h")).isEqualTo(9);
    }

    @Test
    void differenceInTheVerificationPreventsTheSwap() {
        REDIS.call("SET", "k:1", "old");
        RowSource disturbing =
                TestRows.before(TestRows.count(100), opening -> opening == 2, () -> REDIS.call("DEL", shadow("k:1")));

        LoadReport report = run(
                StringTarget.of("k:{id}", "name"),
                LoadOptions.builder().reload(SWAP).verify(Verification.FULL).build(),
                disturbing);

        assertThat(report.verified().orElseThrow().mismatched()).isOne();
        assertThat(report.details().reloaded().orElseThrow().obstacle()).contains("the verification found differences");
        assertThat(report.rows().written()).isZero();
        assertOnlyKeys("k:1");
    }

    @Test
    void missingShadowKeyPreventsTheSwap() {
        REDIS.call("SET", "k:1", "old");
        RowSource disturbing =
                TestRows.before(TestRows.count(100), opening -> opening == 2, () -> REDIS.call("DEL", shadow("k:1")));

        LoadReport report = run(
                StringTarget.of("k:{id}", "name"),
                LoadOptions.builder()
                        .reload(SWAP)
                        .verify(new Verification(1e-9))
                        .build(),
                disturbing);

        assertThat(report.ending().reason().orElseThrow()).contains("missing=1");
        assertThat(Replies.text(REDIS.call("GET", "k:1"))).isEqualTo("old");
        assertOnlyKeys("k:1");
    }

    @Test
    void emptySourceReplacesNothing() {
        run(StringTarget.of("k:{id}", "name"), BOTH, TestRows.count(3));

        LoadReport report = run(StringTarget.of("k:{id}", "name"), BOTH, TestRows.count(0));

        assertThat(report.ending().reason().orElseThrow()).contains("no row was written");
        assertOnlyKeys("k:0", "k:1", "k:2");
    }

    @Test
    void interruptedLoadLeavesTheOldDataAndNoShadowKeys() {
        REDIS.call("SET", "k:1", "old");
        Loader loader = new Loader(REDIS.options());
        LoadOptions options = LoadOptions.builder().reload(SWAP).build();

        LoadReport report =
                loader.run(new LoadPlan(TestRows.endless(), StringTarget.of("k:{id}", "name"), options), event -> {
                    if (event instanceof LoadEvent.Progress progress
                            && progress.rows().written() > 0) {
                        loader.stop();
                    }
                });

        assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.rows().written()).isZero();
        assertThat(report.rows().inFlight()).isZero();
        assertOnlyKeys("k:1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pruneRemovesOnlyKeysThatTheJobHasWrittenBeforeAndThatHaveItsType(boolean swap) {
        Reload reload = new Reload("test", swap, true);
        StringTarget target = StringTarget.of("k:{id}", "name");
        REDIS.call("SET", "k:999", "of another job");
        run(target, reload, TestRows.count(1_000 - 1));
        warnings.clear(); // of the first run
        REDIS.call("DEL", "k:500");
        REDIS.call("RPUSH", "k:500", "now a list");

        LoadReport report = run(target, reload, TestRows.count(400));

        ReloadResult reloaded = report.details().reloaded().orElseThrow();
        assertThat(reloaded.pruned()).isEqualTo(598);
        assertThat(reloaded.foreign()).isOne();
        assertThat(warnings).singleElement().asString().contains("keys=1, first=k:500 (list)");
        assertThat(integer("EXISTS", "k:0", "k:399", "k:400", "k:998")).isEqualTo(2);
        assertThat(Replies.text(REDIS.call("TYPE", "k:500"))).isEqualTo("list");
        assertThat(Replies.text(REDIS.call("GET", "k:999"))).isEqualTo("of another job");
        assertThat(integer("SCARD", "millrace:{test}:keys")).isEqualTo(400);
    }

    @Test
    void keysOfARunWithoutPruneAreRemovedByALaterRun() {
        StringTarget target = StringTarget.of("k:{id}", "name");
        run(target, SWAP, TestRows.count(5));
        run(target, SWAP, TestRows.count(3));
        assertOnlyKeys("k:0", "k:1", "k:2", "k:3", "k:4");

        LoadReport report = run(target, BOTH, TestRows.count(3));

        assertThat(report.details().reloaded().orElseThrow().pruned()).isEqualTo(2);
        assertOnlyKeys("k:0", "k:1", "k:2");
    }

    @Test
    void failedLoadRemovesNothingAndItsKeysAreRecorded() {
        StringTarget target = StringTarget.of("k:{id}", "name");
        run(target, PRUNE, TestRows.count(5));
        RowSource broken = TestRows.of((row, opening, id) -> {
            if (id == 64) {
                throw new SourceException(SourceException.Kind.BROKEN, "broken");
            }
            return TestRows.fill(row, id + 10, "x");
        });

        LoadReport failed = run(target, PRUNE, broken);

        assertThat(failed.ending()).isInstanceOf(Ending.Stopped.class);
        assertThat(failed.rows().written()).isEqualTo(64);
        assertThat(integer("DBSIZE")).isEqualTo(5 + 64 + 2);

        run(target, PRUNE, TestRows.count(1));

        assertOnlyKeys("k:0");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keyOfARowThatIsMalformedTodayIsNotRemoved(boolean swap) {
        Reload reload = new Reload("test", swap, true);
        StringTarget target = StringTarget.of("k:{id}", "name");
        run(target, reload, TestRows.count(5));
        warnings.clear(); // of the first run
        RowSource malformed = TestRows.of((row, opening, id) -> {
            boolean filled = id < 4 && TestRows.fill(row, id, "new");
            if (filled && id == 2) {
                row.reject(Rejection.Reason.TOO_FEW_FIELDS, "made so");
            }
            return filled;
        });
        LoadOptions oneError = LoadOptions.builder().reload(reload).maxErrors(1).build();

        LoadReport report = run(target, oneError, malformed);

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.details().reloaded()).contains(new ReloadResult(swap ? 3 : 0, 0, 0));
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith("no key was removed")
                .contains("rejectedRows=1");
        assertOnlyKeys("k:0", "k:1", "k:2", "k:3", "k:4");

        run(target, reload, TestRows.count(4));

        assertOnlyKeys("k:0", "k:1", "k:2", "k:3");
    }

    @Test
    void partOfASourceRemovesNoKeys() {
        LoadOptions options = LoadOptions.builder().reload(PRUNE).limit(3).build();

        assertThatThrownBy(() -> run(StringTarget.of("k:{id}", "name"), options, TestRows.count(5)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("limit=3");
    }

    @Test
    void flushedServerPreventsTheSwap() {
        RowSource flushing = TestRows.before(TestRows.count(100), opening -> opening == 2, () -> {
            String lock = Replies.text(REDIS.call("GET", "millrace:{test}:lock"));
            REDIS.call("FLUSHALL");
            REDIS.call("SET", "millrace:{test}:lock", lock);
        });

        LoadReport report = run(
                HashFieldTarget.of("h", "{id}"),
                LoadOptions.builder()
                        .reload(SWAP)
                        .verify(new Verification(1e-9))
                        .build(),
                flushing);

        assertThat(report.ending().reason().orElseThrow()).contains("another client has deleted the keys of this job");
        assertOnlyKeys();
    }

    private LoadReport run(Target target, Reload reload, RowSource source) {
        return run(target, LoadOptions.builder().reload(reload).build(), source);
    }

    private LoadReport run(Target target, LoadOptions options, RowSource source) {
        return new Loader(REDIS.options()).run(new LoadPlan(source, target, options), event -> {
            if (event instanceof LoadEvent.Warned warned) {
                warnings.add(warned.message());
            }
        });
    }

    /** The shadow key of {@code key} in the run that is in progress. */
    private static String shadow(String key) {
        String run = Replies.text(REDIS.call("GET", "millrace:{test}:lock"));
        return new String(new JobKeys("test", run).shadow(key.getBytes(UTF_8)), UTF_8);
    }

    private static String firstKey() {
        String script = "for _,k in ipairs(redis.call('KEYS','k*')) do return k end";
        return Replies.text(REDIS.call("EVAL", script, "0"));
    }

    /** Each key without the keys of the job, with its value and whether it expires. Names of stream entries differ. */
    private static List<String> content() {
        String script = """
                local r={}
                for _,k in ipairs(redis.call('KEYS','*')) do
                  if k:sub(1,10)~='millrace:{' then
                    local t=redis.call('TYPE',k).ok
                    local v=t=='stream' and redis.call('XLEN',k) or redis.call('DUMP',k)
                    r[#r+1]=k..' '..redis.sha1hex(tostring(v))..' '..(redis.call('PTTL',k)>0 and 'expires' or '')
                  end
                end
                table.sort(r)
                return r
                """;
        return Replies.list(Replies::text).apply(REDIS.call("EVAL", script, "0"));
    }

    /** Asserts that there are no other keys, except the keys of the job. */
    private static void assertOnlyKeys(String... keys) {
        assertThat(content().stream().map(line -> line.split(" ", -1)[0])).containsExactly(keys);
        Reply left = REDIS.call("EVAL", "return #redis.call('KEYS','millrace:{test}:new*')", "0");
        assertThat(Replies.integer(left)).isZero();
        assertThat(integer("EXISTS", "millrace:{test}:lock")).isZero();
    }

    private static long integer(String name, String... arguments) {
        return Replies.integer(REDIS.call(name, arguments));
    }
}
