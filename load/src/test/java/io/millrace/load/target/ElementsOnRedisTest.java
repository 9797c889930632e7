// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Replies;
import io.millrace.load.RedisServerExtension;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writes elements, and rows with special expiries, to a real server. */
class ElementsOnRedisTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final HashTarget HASH = HashTarget.of("c:{id}");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @Test
    void bitIsSetAndOtherBitsStay() {
        for (BitmapTarget target : List.of(
                BitmapTarget.of("bits", "id"), BitmapTarget.of("bits", "id").withTtl(HOUR))) {
            REDIS.call("SETBIT", "bits", "3", "1");
            RowMapping mapping = bind(target);

            assertThat(matches(mapping, Rows.row(9, "Ada", "Paris"))).isFalse();
            write(mapping, Rows.row(9, "Ada", "Paris"));

            assertThat(matches(mapping, Rows.row(9, "Ada", "Paris"))).isTrue();
            assertThat(matches(mapping, Rows.row(8, "Ada", "Paris"))).isFalse();
            assertThat(REDIS.call("GETBIT", "bits", "3")).isEqualTo(new IntegerReply(1));
            REDIS.call("FLUSHALL");
        }
    }

    @Test
    void otherScoreIsAMismatch() {
        RowMapping mapping = bind(SortedSetTarget.of("scores", "id").withValue("name"));
        write(mapping, Rows.row("1.50", "Ada", "Paris"));

        assertThat(matches(mapping, Rows.row("1.5", "Ada", "Paris"))).isTrue();
        assertThat(matches(mapping, Rows.row("1.6", "Ada", "Paris"))).isFalse();
        assertThat(matches(mapping, Rows.row("1.5", "Bob", "Paris"))).isFalse();
    }

    @Test
    void keyOfAnotherTypeGetsNoElementAndNoExpiry() {
        REDIS.call("SET", "all", "a string");
        REDIS.call("SADD", "bits", "a member");
        Row row = Rows.row(1, "Ada", "Paris");

        for (Target target : List.of(
                ListTarget.of("all").withTtl(HOUR),
                SetTarget.of("all").withTtl(HOUR),
                SortedSetTarget.of("all", "id").withTtl(HOUR),
                StreamTarget.of("all").withTtl(HOUR),
                BitmapTarget.of("bits", "id").withTtl(HOUR))) {
            assertThat(write(bind(target), row))
                    .as("%s", target)
                    .isEqualTo(new ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value"));
        }

        assertThat(REDIS.call("GET", "all")).isEqualTo(bulk("a string"));
        assertThat(pttl("all")).isEqualTo(-1);
        assertThat(pttl("bits")).isEqualTo(-1);
    }

    @Test
    void hashIsLeftOutIfItsKeyExists() {
        REDIS.call("SET", "c:1", "a string");
        RowMapping mapping = bind(HASH.withOnlyMissing().withTtl(HOUR));

        Reply existing = write(mapping, Rows.row(1, "Ada", "Paris"));
        Reply missing = write(mapping, Rows.row(2, "Bob", "Rome"));

        assertThat(mapping.leftOut(existing)).isTrue();
        assertThat(mapping.leftOut(missing)).isFalse();
        assertThat(REDIS.call("GET", "c:1")).isEqualTo(bulk("a string"));
        assertThat(pttl("c:1")).isEqualTo(-1);
        assertThat(hash("c:2")).isEqualTo(Map.of("id", "2", "name", "Bob", "city", "Rome"));
        assertThat(pttl("c:2")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void expiryOfTheColumnIsCompared() {
        StringTarget target = StringTarget.of("c:{id}", "name").withTtlField("city");
        write(bind(target), Rows.row(1, "Ada", "1h"));

        assertThat(pttl("c:1")).isBetween(3_500_000L, 3_600_000L);
        assertThat(matches(bind(target), Rows.row(1, "Ada", "1h"))).isTrue();
        assertThat(matches(bind(target), Rows.row(1, "Ada", "2h"))).isFalse();
    }

    private static RowMapping bind(Target target) {
        return target.bind(Rows.columns("id", "name", "city"));
    }

    private static Reply write(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        return REDIS.call(mapping.command(), sink -> mapping.write(row, sink));
    }

    private static boolean matches(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        Reply reply = REDIS.call(mapping.readBack(), sink -> mapping.writeReadBack(row, sink));
        return mapping.matches(row, reply, Duration.ofSeconds(30));
    }

    private static Map<String, String> hash(String key) {
        return Replies.map(Replies::text, Replies::text).apply(REDIS.call("HGETALL", key));
    }

    private static long pttl(String key) {
        return ((IntegerReply) REDIS.call("PTTL", key)).value();
    }

    private static BulkString bulk(String text) {
        return new BulkString(text.getBytes(StandardCharsets.UTF_8));
    }
}
