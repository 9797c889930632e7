// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server that saves each write, during loads without a checkpoint. Afterwards every row that the report counts as
 * written is in Redis, and each other row in Redis is in a range of unconfirmed rows.
 */
@ExtendWith(NoThreadLeft.class)
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class KilledServerTest {

    /** Number of kills for each target. */
    private static final int KILLS = Integer.getInteger("millrace.loadKills", 1);

    /** The rows of the load, if the kill does not end it. */
    private static final int ROWS = 20_000;

    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private Path folder;

    /** The targets. Each row has a place of its own in Redis. */
    enum Kind {
        STRING,
        EXPIRING_STRING,
        JSON,
        HASH,
        EXPIRING_HASH,
        HASH_FIELD,
        EXPIRING_HASH_FIELD,
        BUCKET,
        LIST,
        EXPIRING_LIST,
        SET,
        EXPIRING_SET,
        SORTED_SET,
        EXPIRING_SORTED_SET,
        STREAM,
        EXPIRING_STREAM,
        BITMAP,
        EXPIRING_BITMAP;

        Target target() {
            return switch (this) {
                case STRING -> StringTarget.of("k:{id}", "name");
                case EXPIRING_STRING -> StringTarget.of("k:{id}", "name").withTtl(HOUR);
                case JSON -> JsonTarget.of("k:{id}");
                case HASH -> HashTarget.of("k:{id}");
                case EXPIRING_HASH -> HashTarget.of("k:{id}").withTtl(HOUR);
                case HASH_FIELD -> HashFieldTarget.of("all", "{id}").withValue("name");
                case EXPIRING_HASH_FIELD ->
                    HashFieldTarget.of("all", "{id}").withValue("name").withTtl(HOUR);
                case BUCKET -> StringTarget.of("k:{id}", "name").withBucket(BucketOptions.of(100));
                case LIST -> ListTarget.of("all").withValue("id");
                case EXPIRING_LIST -> ListTarget.of("all").withValue("id").withTtl(HOUR);
                case SET -> SetTarget.of("all").withValue("id");
                case EXPIRING_SET -> SetTarget.of("all").withValue("id").withTtl(HOUR);
                case SORTED_SET -> SortedSetTarget.of("all", "id").withValue("id");
                case EXPIRING_SORTED_SET ->
                    SortedSetTarget.of("all", "id").withValue("id").withTtl(HOUR);
                case STREAM -> StreamTarget.of("all");
                case EXPIRING_STREAM -> StreamTarget.of("all").withTtl(HOUR);
                case BITMAP -> BitmapTarget.of("all", "id");
                case EXPIRING_BITMAP -> BitmapTarget.of("all", "id").withTtl(HOUR);
            };
        }
    }

    /** The targets are loaded at the same time, because each load spends most of its time with waiting. */
    @Test
    void everyRowThatIsCountedAsWrittenIsInRedis() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(Kind.values().length)) {
            List<Callable<Kind>> tests = new ArrayList<>();
            for (Kind kind : Kind.values()) {
                tests.add(() -> killAndCheck(kind));
            }
            for (Future<Kind> ended : threads.invokeAll(tests)) {
                var unused = ended.get();
            }
        }
    }

    private Kind killAndCheck(Kind kind) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("KilledServerTest: target=" + kind + ", seed=" + seed);
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            Path data = Files.createDirectory(folder.resolve(kind + "-" + kill));
            EmbeddedOptions durable =
                    EmbeddedOptions.defaults().withConfig("dir " + data, "appendonly yes", "appendfsync always");
            LoadReport report;
            try (TestRedis doomed = TestRedis.start(durable)) {
                report = load(doomed, kind.target(), ROWS / 4 + random.nextInt(ROWS / 2));
            }
            try (TestRedis restarted = TestRedis.start(durable)) {
                check(report, restarted, kind);
            }
        }
        return kind;
    }

    /** Kills the server before the row {@code last}. */
    private static LoadReport load(TestRedis doomed, Target target, int last) {
        LoadOptions options =
                LoadOptions.builder().inFlight(500).patience(Duration.ZERO).build();
        return new Loader(doomed.options())
                .run(
                        new LoadPlan(
                                StoppingSource.after(
                                        TestRows.count(ROWS),
                                        last,
                                        () -> doomed.server().kill()),
                                target,
                                options),
                        event -> {});
    }

    private static void check(LoadReport report, TestRedis redis, Kind kind) {
        RowCounts rows = report.rows();
        Set<Long> unconfirmed = unconfirmed(report);
        while (!(redis.call("PING") instanceof Reply.SimpleString)) {
            // The server loads its data.
            LockSupport.parkNanos(1_000_000);
        }
        List<Long> present = present(redis, kind, rows.read());

        String what = kind + " " + report;
        assertThat(report.ending()).as(what).isInstanceOf(LoadReport.Ending.Stopped.class);
        assertThat(rows.written()).as(what).isPositive();
        assertThat(rows.written() + rows.unconfirmed() + rows.skipped())
                .as(what)
                .isEqualTo(rows.read());
        assertThat(rows.rejected()).as(what).isZero();
        assertThat((long) unconfirmed.size()).as(what).isEqualTo(rows.unconfirmed());
        assertThat(present).as(what).doesNotHaveDuplicates();
        assertThat(present.stream().filter(id -> !unconfirmed.contains(id)).count())
                .as("rows in Redis that are not unconfirmed: %s", what)
                .isEqualTo(rows.written());
        assertThat(keysOfOtherExpiry(redis, kind))
                .as("keys of another expiry: %s", what)
                .isEmpty();
    }

    /** The keys without an expiry of up to one hour; or the keys with an expiry, if the load has none. */
    private static List<String> keysOfOtherExpiry(TestRedis redis, Kind kind) {
        boolean expires = kind.target().options().ttl().isPresent();
        Reply others = redis.call("EVAL", """
                local others={}
                for _,k in ipairs(redis.call('KEYS','*')) do
                  local t=redis.call('PTTL',k)
                  local right=t==-1
                  if ARGV[1]=='true' then right=t>0 and t<=3600000 end
                  if not right then others[#others+1]=k..' '..t end
                end
                return others
                """, "0", Boolean.toString(expires));
        return Replies.list(Replies::text).apply(others);
    }

    /** The ids of the unconfirmed rows. The first row has the number 1 and the id 0. */
    private static Set<Long> unconfirmed(LoadReport report) {
        Set<Long> ids = new HashSet<>();
        for (RowRange range : report.details().unconfirmedRows()) {
            LongStream.rangeClosed(range.firstRow(), range.lastRow()).forEach(number -> ids.add(number - 1));
        }
        return ids;
    }

    /** The ids of the rows in Redis, whose values are complete. */
    private static List<Long> present(TestRedis redis, Kind kind, long read) {
        return switch (kind) {
            case BUCKET -> withoutAbsent(redis, kind.target(), read);
            case STRING, EXPIRING_STRING, JSON, HASH, EXPIRING_HASH -> {
                // A verification takes an absent key of an expiring target for an expired key, so the keys are listed.
                var unused = withoutAbsent(redis, kind.target(), read);
                yield items(redis.call("KEYS", "k:*")).stream()
                        .map(key -> id(((Reply.BulkString) key).text()))
                        .toList();
            }
            case HASH_FIELD, EXPIRING_HASH_FIELD -> ids(redis.call("HKEYS", "all"));
            case LIST, EXPIRING_LIST -> ids(redis.call("LRANGE", "all", "0", "-1"));
            case SET, EXPIRING_SET -> ids(redis.call("SMEMBERS", "all"));
            case SORTED_SET, EXPIRING_SORTED_SET -> ids(redis.call("ZRANGE", "all", "0", "-1"));
            case STREAM, EXPIRING_STREAM ->
                items(redis.call("XRANGE", "all", "-", "+")).stream()
                        .map(entry -> id(items(items(entry).get(1)).get(1)))
                        .toList();
            case BITMAP, EXPIRING_BITMAP -> bits((Reply.BulkString) redis.call("GET", "all"));
        };
    }

    /** Reads the rows back. A row in Redis with another value or another expiry is a violation. */
    private static List<Long> withoutAbsent(TestRedis redis, Target target, long read) {
        Set<Long> absent = new HashSet<>();
        LoadPlan plan = new LoadPlan(
                TestRows.count(read),
                target,
                LoadOptions.builder().verify(Verification.FULL).build());
        var unused = new Loader(redis.options()).verify(plan, event -> {
            if (event instanceof LoadEvent.Differed differed) {
                assertThat(differed.difference().kind().name()).isEqualTo("ABSENT");
                // The field of a pair in a bucket is the end of its key.
                String field = new String(differed.difference().field(), StandardCharsets.US_ASCII);
                absent.add(field.isEmpty() ? id(differed.key()) : bucketId(differed.key(), field));
            }
        });
        return LongStream.range(0, read)
                .filter(id -> !absent.contains(id))
                .boxed()
                .toList();
    }

    private static List<Long> bits(Reply.BulkString bitmap) {
        byte[] bytes = bitmap.bytes();
        List<Long> set = new ArrayList<>();
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            if ((bytes[bit / 8] & (0x80 >> bit % 8)) != 0) {
                set.add((long) bit);
            }
        }
        return set;
    }

    private static List<Long> ids(Reply reply) {
        return items(reply).stream().map(KilledServerTest::id).toList();
    }

    private static List<Reply> items(Reply reply) {
        return switch (reply) {
            case Reply.ArrayReply array -> array.items();
            case Reply.SetReply set -> set.items();
            default -> throw new AssertionError(reply);
        };
    }

    /** The id of a pair, such as 13042 for the field 42 of the key {@code k:{130}:100}. */
    private static long bucketId(String key, String field) {
        return 100 * Long.parseLong(key.substring(key.indexOf('{') + 1, key.indexOf('}'))) + Long.parseLong(field);
    }

    private static long id(String key) {
        return Long.parseLong(key.substring("k:".length()));
    }

    private static long id(Reply reply) {
        return Long.parseLong(((Reply.BulkString) reply).text());
    }
}
