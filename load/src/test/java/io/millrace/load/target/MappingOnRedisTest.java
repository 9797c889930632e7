// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.TestRedis;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import io.millrace.resp.Reply.MapReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes rows of every target to a real server. */
class MappingOnRedisTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final HashTarget HASH = HashTarget.of("c:{id}");
    private static final StringTarget STRING = StringTarget.of("c:{id}", "name");
    private static final JsonTarget JSON = JsonTarget.of("c:{id}");
    private static final HashFieldTarget FIELD = HashFieldTarget.of("all", "{id}");
    private static TestRedis redis;

    @BeforeAll
    static void start() {
        redis = TestRedis.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.call("CONFIG", "SET", "maxmemory", "0");
        redis.call("FLUSHALL");
    }

    @Test
    void rowsReadBackWithResp3MatchTheWrittenRows() {
        assertWrittenRowsMatchTheirReadBack(redis);
    }

    @Test
    void rowsReadBackWithResp2MatchTheWrittenRows() {
        try (TestRedis old = TestRedis.start(EmbeddedOptions.defaults().withConfig("rename-command HELLO \"\""))) {
            assertWrittenRowsMatchTheirReadBack(old);
        }
    }

    private static void assertWrittenRowsMatchTheirReadBack(TestRedis server) {
        List<Target> targets = List.of(
                STRING,
                STRING.withTtl(HOUR),
                STRING.withBucket(BucketOptions.of(100)),
                STRING.withBucket(BucketOptions.of(100).withPairs(1_000)),
                JSON,
                JSON.withTtl(HOUR),
                HASH,
                HASH.withTtl(HOUR),
                HASH.withReplaceRow(),
                HASH.withReplaceRow().withTtl(HOUR),
                HASH.withNullText("nil"),
                FIELD,
                FIELD.withTtl(HOUR),
                FIELD.withValue("name"),
                SetTarget.of("members"),
                SetTarget.of("members").withValue("name").withTtl(HOUR),
                SortedSetTarget.of("scores", "id"),
                SortedSetTarget.of("scores", "id").withValue("name").withTtl(HOUR));
        for (Target target : targets) {
            server.call("FLUSHALL");
            Row row = Rows.row(1, "Ada\r\n\u0000", Rows.NULL);
            RowMapping mapping = bind(target);

            assertThat(matches(server, mapping, row)).as("before: %s", target).isFalse();
            assertThat(write(server, mapping, row)).as("%s", target).isNotInstanceOf(ErrorReply.class);

            assertThat(matches(server, mapping, row)).as("after: %s", target).isTrue();
            assertThat(matches(server, mapping, Rows.row(1, "Ade\r\n\u0000", Rows.NULL)))
                    .as("other value: %s", target)
                    .isFalse();
        }
    }

    @Test
    void stringReplacesTheOldValueAndItsExpiry() {
        redis.call("SET", "c:1", "old", "EX", "1000");

        write(bind(STRING), Rows.row(1, "Ada", "Paris"));

        assertThat(redis.call("GET", "c:1")).isEqualTo(bulk("Ada"));
        assertThat(pttl("c:1")).isEqualTo(-1);
    }

    @Test
    void jsonDocumentIsStoredAsAStringWithAnExpiry() {
        write(bind(JSON.withTtl(HOUR)), Rows.row(1, "Ada", true));

        assertThat(redis.call("GET", "c:1")).isEqualTo(bulk("{\"id\":1,\"name\":\"Ada\",\"city\":true}"));
        assertThat(pttl("c:1")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void hashKeepsOtherFieldsAndTheExpiry() {
        redis.call("HSET", "c:1", "name", "old", "age", "36");
        redis.call("EXPIRE", "c:1", "1000");

        write(bind(HASH), Rows.row(1, "Ada", Rows.NULL));

        assertThat(hash("c:1")).isEqualTo(Map.of("id", "1", "name", "Ada", "age", "36"));
        assertThat(pttl("c:1")).isBetween(900_000L, 1_000_000L);
        assertThat(matches(bind(HASH), Rows.row(1, "Ada", Rows.NULL))).isTrue();
    }

    @Test
    void hashWithAnExpiryKeepsOtherFieldsAndExpires() {
        redis.call("HSET", "c:1", "age", "36");

        Reply reply = write(bind(HASH.withTtl(HOUR)), Rows.row(1, "Ada", "Paris"));

        assertThat(reply).isEqualTo(new IntegerReply(1));
        assertThat(hash("c:1")).isEqualTo(Map.of("id", "1", "name", "Ada", "city", "Paris", "age", "36"));
        assertThat(pttl("c:1")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void replacedHashHasOnlyTheFieldsOfTheRowAndNoExpiry() {
        redis.call("HSET", "c:1", "name", "old", "age", "36");
        redis.call("EXPIRE", "c:1", "1000");

        write(bind(HASH.withReplaceRow()), Rows.row(1, "Ada", "Paris"));

        assertThat(hash("c:1")).isEqualTo(Map.of("id", "1", "name", "Ada", "city", "Paris"));
        assertThat(pttl("c:1")).isEqualTo(-1);
    }

    @Test
    void replacedHashWithTheSameFieldsLosesItsOldExpiry() {
        redis.call("HSET", "c:1", "id", "1", "name", "old", "city", "Rome");
        redis.call("EXPIRE", "c:1", "1000");

        write(bind(HASH.withReplaceRow()), Rows.row(1, "Ada", "Paris"));

        assertThat(hash("c:1")).isEqualTo(Map.of("id", "1", "name", "Ada", "city", "Paris"));
        assertThat(pttl("c:1")).isEqualTo(-1);
    }

    @Test
    void keyOfAnotherTypeIsReplaced() {
        redis.call("SET", "c:1", "a string", "EX", "1000");

        write(bind(HASH.withReplaceRow().withTtl(HOUR)), Rows.row(1, "Ada", "Paris"));

        assertThat(hash("c:1")).isEqualTo(Map.of("id", "1", "name", "Ada", "city", "Paris"));
        assertThat(pttl("c:1")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void fieldsOfSeveralRowsShareOneHash() {
        RowMapping mapping = bind(FIELD.withTtl(HOUR));

        write(mapping, Rows.row(1, "Ada", Rows.NULL));
        write(mapping, Rows.row(2, "Bob", "Rome"));

        assertThat(hash("all"))
                .isEqualTo(Map.of(
                        "1", "{\"id\":1,\"name\":\"Ada\"}", "2", "{\"id\":2,\"name\":\"Bob\",\"city\":\"Rome\"}"));
        assertThat(pttl("all")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void keyOfAnotherTypeIsRefusedAndUnchanged() {
        for (Target target : List.of(HASH, HASH.withTtl(HOUR), FIELD.withTtl(HOUR), FIELD)) {
            redis.call("FLUSHALL");
            redis.call("SET", "c:1", "a string");
            redis.call("SET", "all", "a string", "EX", "100000");
            Row row = Rows.row(1, "Ada", "Paris");

            Reply reply = write(bind(target), row);

            assertThat(reply)
                    .as("%s", target)
                    .isEqualTo(new ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value"));
            assertThat(redis.call("GET", "c:1")).isEqualTo(bulk("a string"));
            assertThat(redis.call("GET", "all")).isEqualTo(bulk("a string"));
            assertThat(pttl("c:1")).isEqualTo(-1);
            assertThat(pttl("all")).isBetween(99_000_000L, 100_000_000L);
            assertThat(matches(bind(target), row)).isFalse();
        }
    }

    @Test
    void outOfMemoryErrorChangesNoKeyAndNoExpiry() {
        for (Target target : List.of(
                HASH,
                HASH.withTtl(HOUR),
                HASH.withReplaceRow(),
                HASH.withReplaceRow().withTtl(HOUR))) {
            redis.call("HSET", "c:1", "age", "36");
            redis.call("CONFIG", "SET", "maxmemory", "1");

            Reply there = write(bind(target), Rows.row(1, "Ada", "Paris"));
            Reply absent = write(bind(target), Rows.row(2, "Ada", "Paris"));
            redis.call("CONFIG", "SET", "maxmemory", "0");

            ErrorReply error = new ErrorReply("OOM command not allowed when used memory > 'maxmemory'.");
            assertThat(there).as("%s", target).isEqualTo(error);
            assertThat(absent).as("%s", target).isEqualTo(error);
            assertThat(hash("c:1")).isEqualTo(Map.of("age", "36"));
            assertThat(pttl("c:1")).isEqualTo(-1);
            assertThat(redis.call("EXISTS", "c:2")).isEqualTo(new IntegerReply(0));
        }
    }

    @Test
    void userWithoutPermissionForHsetDeletesNoHash() {
        redis.call("HSET", "c:1", "age", "36");
        redis.call("ACL", "SETUSER", "limited", "on", "nopass", "~*", "+@all", "-hset");
        try (TestRedis limited = redis.as("limited", "any")) {

            Reply reply = write(limited, bind(HASH.withReplaceRow()), Rows.row(1, "Ada", "Paris"));

            assertThat(reply).isInstanceOf(ErrorReply.class);
            assertThat(hash("c:1")).isEqualTo(Map.of("age", "36"));
        } finally {
            redis.call("ACL", "DELUSER", "limited");
        }
    }

    @Test
    void rowOfThousandsOfColumnsIsWrittenAndReadBackCompletely() {
        for (int size : new int[] {499, 500, 501, 1_000, 1_001, 9_999}) {
            String[] names = new String[size];
            Arrays.setAll(names, i -> "f" + i);
            Object[] values = new Object[size];
            Arrays.setAll(values, i -> "v" + i);
            HashTarget target = HashTarget.of("wide:{f0}");
            Row row = Rows.row(values);
            for (Target scripted : List.of(target, target.withTtl(HOUR), target.withReplaceRow())) {
                redis.call("FLUSHALL");
                RowMapping mapping = scripted.bind(Rows.columns(names));

                assertThat(write(mapping, row)).isInstanceOf(IntegerReply.class);

                assertThat(redis.call("HLEN", "wide:v0")).isEqualTo(new IntegerReply(size));
                assertThat(matches(mapping, row)).isTrue();
                redis.call("HSET", "wide:v0", "f" + (size - 1), "other");
                assertThat(matches(mapping, row)).isFalse();
            }
        }
    }

    @Test
    void scriptFlushRejectsNoRow() {
        RowMapping mapping = bind(HASH.withTtl(HOUR));

        write(mapping, Rows.row(1, "Ada", "Paris"));
        redis.call("SCRIPT FLUSH");

        assertThat(write(mapping, Rows.row(2, "Bob", "Rome"))).isEqualTo(new IntegerReply(1));
    }

    @Test
    void missingOrUnexpectedExpiryIsAMismatchIfTheTargetSetsTheExpiry() {
        Row row = Rows.row(1, "Ada", "Paris");
        HashTarget replaced = HASH.withReplaceRow();
        List<Function<Duration, Target>> expiring = List.of(STRING::withTtl, JSON::withTtl, replaced::withTtl);
        List<Target> lasting = List.of(STRING, JSON, replaced);
        for (int i = 0; i < lasting.size(); i++) {
            RowMapping forever = bind(lasting.get(i));
            RowMapping hour = bind(expiring.get(i).apply(HOUR));
            RowMapping minutes = bind(expiring.get(i).apply(Duration.ofMinutes(59)));
            write(hour, row);

            assertThat(matches(hour, row)).as("%s", lasting.get(i)).isTrue();
            assertThat(matches(forever, row)).as("%s", lasting.get(i)).isFalse();
            assertThat(matches(minutes, row)).as("%s", lasting.get(i)).isFalse();
            redis.call("PERSIST", "c:1");
            assertThat(matches(hour, row)).as("%s", lasting.get(i)).isFalse();
            assertThat(matches(forever, row)).as("%s", lasting.get(i)).isTrue();
        }
    }

    @Test
    void additionalFieldIsAMismatchOnlyIfTheRowWasReplaced() {
        Row row = Rows.row(1, "Ada", "Paris");
        write(bind(HASH), row);
        redis.call("HSET", "c:1", "age", "36");

        assertThat(matches(bind(HASH), row)).isTrue();
        assertThat(matches(bind(HASH.withReplaceRow()), row)).isFalse();
    }

    @Test
    void missingFieldIsAMismatch() {
        Row row = Rows.row(1, "Ada", "Paris");
        for (Target target : List.of(HASH, HASH.withTtl(HOUR), HASH.withReplaceRow())) {
            write(bind(target), row);
            redis.call("HDEL", "c:1", "city");

            assertThat(matches(bind(target), row)).as("%s", target).isFalse();
        }
    }

    @Test
    void keyOfAnotherTypeIsAMismatch() {
        Row row = Rows.row(1, "Ada", "Paris");
        redis.call("RPUSH", "c:1", "a", "b", "c");
        redis.call("RPUSH", "all", "a");

        for (Target target : List.of(STRING, JSON, HASH, HASH.withReplaceRow(), FIELD, FIELD.withTtl(HOUR))) {
            assertThat(matches(bind(target), row)).as("%s", target).isFalse();
        }
    }

    private static RowMapping bind(Target target) {
        return target.bind(Rows.columns("id", "name", "city"));
    }

    private static Reply write(RowMapping mapping, Row row) {
        return write(redis, mapping, row);
    }

    private static Reply write(TestRedis server, RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        return server.call(mapping.command(), sink -> mapping.write(row, sink));
    }

    private static boolean matches(RowMapping mapping, Row row) {
        return matches(redis, mapping, row);
    }

    private static boolean matches(TestRedis server, RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        Reply reply = server.call(mapping.readBack(), sink -> mapping.writeReadBack(row, sink));
        return mapping.matches(row, reply, Duration.ofSeconds(30));
    }

    private static Map<String, String> hash(String key) {
        List<Reply> items = switch (redis.call("HGETALL", key)) {
            case ArrayReply(List<Reply> some) -> some;
            case MapReply(List<Reply> some) -> some;
            case Reply other -> throw new AssertionError(other);
        };
        Map<String, String> hash = new TreeMap<>();
        for (int i = 0; i < items.size(); i += 2) {
            hash.put(((BulkString) items.get(i)).text(), ((BulkString) items.get(i + 1)).text());
        }
        return hash;
    }

    private static long pttl(String key) {
        return ((IntegerReply) redis.call("PTTL", key)).value();
    }

    private static BulkString bulk(String text) {
        return new BulkString(text.getBytes(StandardCharsets.UTF_8));
    }
}
