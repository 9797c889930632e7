// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loads with an expiry. No key of the load may ever be without its expiry, and no other key may get one. */
@ExtendWith(NoThreadLeft.class)
class ExpiringLoadTest {

    private static final Duration HOUR = Duration.ofHours(1);

    /** Shorter than the load, so that keys expire while they are written. */
    private static final Duration SHORT = Duration.ofMillis(20);

    /** The number of keys without an expiry. The script sees the keyspace between two commands of the load. */
    private static final String WITHOUT_EXPIRY = """
            local n=0
            for _,k in ipairs(redis.call('KEYS','*')) do
              if redis.call('PTTL',k)==-1 then n=n+1 end
            end
            return n
            """;

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<String> rejects = new ArrayList<>();

    static Stream<Target> targets() {
        HashTarget hash = HashTarget.of("k:{group}");
        return Stream.of(
                StringTarget.of("k:{group}", "id").withTtl(SHORT),
                hash.withTtl(SHORT),
                hash.withTtl(SHORT).withTtlJitter(0.5),
                hash.withTtlField("ttl"),
                hash.withReplaceRow().withTtl(SHORT),
                hash.withOnlyMissing().withTtl(SHORT),
                HashFieldTarget.of("k", "{id}").withTtl(SHORT),
                HashFieldTarget.of("k:{group}", "{id}").withTtl(SHORT),
                ListTarget.of("k:{group}").withTtl(SHORT),
                SetTarget.of("k:{group}").withTtl(SHORT),
                SortedSetTarget.of("k:{group}", "id").withTtl(SHORT),
                StreamTarget.of("k:{group}").withTtl(SHORT),
                BitmapTarget.of("k:{group}", "id").withTtl(SHORT));
    }

    /**
     * Another client deletes keys during the load, so that each write may create its key. A killed load leaves what the
     * server has executed until then, so a look at the keyspace between two commands is a look after a kill.
     */
    @ParameterizedTest
    @MethodSource("targets")
    void noKeyIsWithoutItsExpiryAtAnyPointOfTheLoad(Target target) throws Exception {
        LoadOptions options = LoadOptions.builder().rate(4_000).build();
        Loader loader = new Loader(REDIS.options());
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<LoadReport> load =
                    thread.submit(() -> loader.run(new LoadPlan(rows(800), target, options), event -> {}));
            int looks = 0;
            while (!load.isDone()) {
                assertThat(withoutExpiry()).as("look %d", looks).isZero();
                REDIS.call("DEL", "k", "k:" + looks % 5);
                looks++;
            }

            assertThat(withoutExpiry()).isZero();
            assertThat(load.get().rows().rejected()).isZero();
            assertThat(load.get().rows().inFlight()).isZero();
            assertThat(looks).isPositive();
        }
    }

    @Test
    void abandonedLoadLeavesNoKeyWithoutItsExpiry() {
        List<Target> targets = List.of(
                HashFieldTarget.of("field", "{id}").withTtl(HOUR),
                HashTarget.of("k:{id}").withTtl(HOUR));
        // A separate server, because it may execute commands of the abandoned load after the load has ended.
        try (TestRedis own = TestRedis.start()) {
            for (Target target : targets) {
                Loader loader = new Loader(own.options());

                LoadReport report =
                        loader.run(new LoadPlan(rows(Long.MAX_VALUE), target, LoadOptions.defaults()), event -> {
                            if (event instanceof LoadEvent.Progress progress
                                    && progress.rows().written() > 0) {
                                loader.abandon();
                            }
                        });

                assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
                assertThat(report.rows().written()).isPositive();
                assertThat(Replies.integer(own.call("EVAL", WITHOUT_EXPIRY, "0")))
                        .isZero();
            }
        }
    }

    @Test
    void expiryCostsFewBytes() {
        HashFieldTarget oneHash = HashFieldTarget.of("all", "{id}");
        HashTarget hashes = HashTarget.of("k:{id}");

        assertThat(costOfExpiry(oneHash, oneHash.withTtl(HOUR), rows(20_000))).isLessThan(1.05);
        assertThat(costOfExpiry(hashes, hashes.withTtl(HOUR), rows(20_000))).isLessThan(1.1);
    }

    /** A script has at most 64 rows, so its own bytes count more beside short rows. The hashes are restored. */
    @Test
    void expiryOfShortRowsCostsMoreOfTheirFewBytes() {
        HashFieldTarget oneHash = HashFieldTarget.of("all", "{id}").withValue("a");
        HashTarget hashes = HashTarget.of("k:{id}");
        RowSource rows = TestRows.of(
                List.of("id", "a"), (row, opening, id) -> id < 50_000 && TestRows.fill(row, id, "x" + id % 100));

        assertThat(costOfExpiry(oneHash, oneHash.withTtl(HOUR), rows)).isLessThan(1.1);
        assertThat(costOfExpiry(hashes, hashes.withTtl(HOUR), rows)).isLessThan(1.4);
    }

    /** The bytes of a load with an expiry, as a multiple of the bytes of the load without. */
    private double costOfExpiry(Target plain, Target expiring, RowSource rows) {
        return bytes(expiring, rows) / bytes(plain, rows);
    }

    private double bytes(Target target, RowSource rows) {
        REDIS.call("FLUSHALL");
        LoadReport report = run(target, LoadOptions.defaults(), rows);
        assertThat(report.rows().written()).isEqualTo(report.rows().read()).isPositive();
        return report.bytesSent();
    }

    @Test
    void onlyTheRowOfAKeyWithAnotherTypeIsRejectedAndTheKeyGetsNoExpiry() {
        REDIS.call("SET", "k:3", "a string");
        REDIS.call("RPUSH", "k:700", "an element");

        LoadReport report = run(HashTarget.of("k:{id}").withTtl(HOUR), LoadOptions.defaults(), rows(1_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 998, 2, 0, 0));
        assertThat(report.fusion().commands()).isPositive();
        assertThat(report.commands().submitted()).as("no row is retried").isEqualTo(1_000);
        assertThat(report.commands().ok()).isEqualTo(998);
        assertThat(report.commands().error()).isEqualTo(2);
        assertThat(rejects).hasSize(2).allMatch(message -> message.startsWith("WRONGTYPE"));
        assertThat(integer("PTTL", "k:3")).isEqualTo(-1);
        assertThat(integer("PTTL", "k:700")).isEqualTo(-1);
        assertThat(withoutExpiry()).isEqualTo(2);
    }

    @Test
    void scriptFlushDuringTheLoadLosesNoRow() {
        HashTarget hash = HashTarget.of("k:{id}").withTtl(HOUR);

        LoadReport report = run(hash, LoadOptions.defaults(), flushingScriptsAt(10_000, 20_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000, 0, 0, 0));
        assertThat(report.commands().submitted()).as("some rows are retried").isGreaterThan(20_000);
        assertThat(integer("DBSIZE")).isEqualTo(20_000);
        assertThat(withoutExpiry()).isZero();
    }

    @Test
    void scriptFlushDuringTheLoadRepeatsNoElementOfAList() {
        ListTarget list = ListTarget.of("k").withValue("id").withTtl(HOUR);

        LoadReport report = run(list, LoadOptions.defaults(), flushingScriptsAt(5_000, 10_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(10_000, 10_000, 0, 0, 0));
        assertThat(Replies.list(Replies::text).apply(REDIS.call("LRANGE", "k", "0", "-1")))
                .isEqualTo(LongStream.range(0, 10_000).mapToObj(Long::toString).toList());
    }

    @Test
    void loadStopsAndNoKeyIsCreatedIfTheUserMayNotRunScripts() {
        REDIS.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-eval", "-evalsha");
        try {
            Loader loader = new Loader(ClientOptions.of(
                    RedisUri.of("127.0.0.1", REDIS.server().port()).withLogin("limited", "secret")));

            LoadReport report = loader.run(
                    new LoadPlan(rows(100), HashTarget.of("k:{id}").withTtl(HOUR), LoadOptions.defaults()), this::note);

            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("the server refuses the command of the rows: NOPERM");
            assertThat(report.rows().written()).isZero();
            assertThat(report.rows().rejected()).isEqualTo(report.rows().read());
            assertThat(rejects)
                    .hasSize((int) report.rows().read())
                    .isNotEmpty()
                    .allMatch(message -> message.startsWith("NOPERM"));
            assertThat(integer("DBSIZE")).isZero();
        } finally {
            REDIS.call("ACL", "DELUSER", "limited");
        }
    }

    @Test
    void userWhoMayNotSetAnExpiryIsRefusedBeforeTheFirstRow() {
        REDIS.call("ACL", "SETUSER", "limited", "on", ">secret", "~k:*", "+@all", "-pexpire");
        try {
            Loader loader = new Loader(ClientOptions.of(
                    RedisUri.of("127.0.0.1", REDIS.server().port()).withLogin("limited", "secret")));

            for (Target expiring : List.of(
                    HashTarget.of("k:{id}").withTtl(HOUR),
                    ListTarget.of("k:1").withTtl(HOUR),
                    StreamTarget.of("k:1").withTtl(HOUR))) {
                assertThatThrownBy(() ->
                                loader.run(new LoadPlan(rows(100), expiring, LoadOptions.defaults()), event -> {}))
                        .isInstanceOf(PlanException.class)
                        .hasMessageStartingWith("the user may not set the expiry of a key: NOPERM");
                assertThat(integer("DBSIZE")).isZero();
            }
            // SET writes the value and the expiry, and needs no other command.
            LoadReport strings = loader.run(
                    new LoadPlan(rows(100), StringTarget.of("k:{id}", "id").withTtl(HOUR), LoadOptions.defaults()),
                    event -> {});
            assertThat(strings.rows().written()).isEqualTo(100);
        } finally {
            REDIS.call("ACL", "DELUSER", "limited");
        }
    }

    @Test
    void loadStopsIfTheUserMayRunScriptsButNotTheirCommands() {
        REDIS.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-hset");
        try {
            Loader loader = new Loader(ClientOptions.of(
                    RedisUri.of("127.0.0.1", REDIS.server().port()).withLogin("limited", "secret")));

            LoadReport report = loader.run(
                    new LoadPlan(rows(100), HashTarget.of("k:{id}").withTtl(HOUR), LoadOptions.defaults()), this::note);

            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("the server refuses the command of the rows: ");
            assertThat(report.rows().written()).isZero();
            assertThat(integer("DBSIZE")).isZero();
        } finally {
            REDIS.call("ACL", "DELUSER", "limited");
        }
    }

    @Test
    void rowsOfDeniedKeysAreRejectedAndTheOtherRowsAreWritten() {
        REDIS.call("ACL", "SETUSER", "some", "on", ">secret", "+@all", "~k:*1");
        try {
            Loader loader = new Loader(ClientOptions.of(
                    RedisUri.of("127.0.0.1", REDIS.server().port()).withLogin("some", "secret")));

            LoadReport report = loader.run(
                    new LoadPlan(rows(1_000), HashTarget.of("k:{id}").withTtl(HOUR), LoadOptions.defaults()),
                    this::note);

            assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 100, 900, 0, 0));
            assertThat(integer("DBSIZE")).isEqualTo(100);
            assertThat(withoutExpiry()).isZero();
        } finally {
            REDIS.call("ACL", "DELUSER", "some");
        }
    }

    /**
     * Rows with the columns id, group, ttl and note. There are five groups, and adjacent rows differ in the group. The
     * note is long, so that hashes are written with scripts and not with {@code RESTORE}.
     */
    private static RowSource rows(long count) {
        return TestRows.of(List.of("id", "group", "ttl", "note"), (row, opening, id) -> {
            row.clear(id + 1, 0);
            row.add(id);
            row.add(id % 5);
            row.add(Row.Kind.TEXT, "20ms");
            row.add(Row.Kind.TEXT, "a note of about one hundred characters ".repeat(3));
            return id < count;
        });
    }

    /** Rows with long values, so that hashes are written with scripts and not with {@code RESTORE}. */
    private static RowSource flushingScriptsAt(long flush, long count) {
        return TestRows.of((row, opening, id) -> {
            if (id == flush) {
                REDIS.call("SCRIPT FLUSH");
            }
            return id < count && TestRows.fill(row, id, "x".repeat(100));
        });
    }

    private LoadReport run(Target target, LoadOptions options, RowSource source) {
        return new Loader(REDIS.options()).run(new LoadPlan(source, target, options), this::note);
    }

    private void note(LoadEvent event) {
        if (event instanceof LoadEvent.Rejected rejected) {
            rejects.add(rejected.rejection().message());
        }
    }

    private static long withoutExpiry() {
        return integer("EVAL", WITHOUT_EXPIRY, "0");
    }

    private static long integer(String name, String... arguments) {
        Reply reply = REDIS.call(name, arguments);
        return Replies.integer(reply);
    }
}
