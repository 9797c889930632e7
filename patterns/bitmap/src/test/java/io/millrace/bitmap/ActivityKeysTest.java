// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Sets;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Key names of activities and populations. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ActivityKeysTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final ActivityOptions BITMAP = ActivityOptions.keptForever().encoding(Encoding.BITMAP);
    private static final LocalDate SUNDAY = LocalDate.of(2026, 11, 22);
    private static final Span DAY = Span.day(SUNDAY);

    @Test
    void deletingAnActivityDeletesOnlyItsKeys() {
        RedisClient client = REDIS.client();
        Populations.of(client, PopulationOptions.DEFAULT).store("jobs", 100, BitSource.random(0.5, 1));
        client.call(Strings.set("{jobs}:again", "of a queue"));
        Activity jobs = Activity.of(client, "jobs", BITMAP);
        jobs.mark("login", 1, SUNDAY);
        Activity site = Activity.of(client, "{eu}:site", BITMAP);
        Activity mobile = Activity.of(client, "{eu}:site:mobile", BITMAP);
        site.mark("login", 1, SUNDAY);
        mobile.mark("login", 2, SUNDAY);

        jobs.delete();
        site.delete();

        assertThat(REDIS.keys(client))
                .containsExactlyInAnyOrder(
                        "{jobs}:population",
                        "{jobs}:bits",
                        "{jobs}:again",
                        "{eu}:site:mobile:activity",
                        "{eu}:site:mobile:activity:login:2026-11-22");
        assertThat(mobile.contains("login", DAY, 2)).isTrue();
    }

    @Test
    void twoActivitiesDoNotShareAKey() {
        RedisClient client = REDIS.client();
        Activity all = Activity.of(client, "{eu}", ActivityOptions.keptForever());
        Activity site = Activity.of(client, "{eu}:site", BITMAP);

        all.mark("site:login", 7, SUNDAY);

        assertThat(site.contains("login", DAY, 7)).isFalse();
    }

    @Test
    void nameThatBeginsWithAClosingBraceOrContainsAReservedPartIsRejected() {
        RedisClient client = REDIS.client();

        assertThatThrownBy(() -> Activity.of(client, "}x", ActivityOptions.keptForever()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a name without a hash tag begins with a closing brace: name=}x."
                        + " Add a hash tag, as in {site}, or remove the braces.");
        assertThatThrownBy(
                        () -> Populations.of(client, PopulationOptions.DEFAULT).find("{eu}:activity:x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a name contains a reserved part: name={eu}:activity:x, part=activity." + " Use another name.");
    }

    @Test
    void setOfChunkNumbersIsCompleteWhileMarksAreAddedAndDeleted() throws InterruptedException {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.CHUNKED));
        AtomicBoolean marking = new AtomicBoolean(true);
        Thread marks = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 1_500; i++) {
                    active.mark("login", (long) (i % 5) << 20, SUNDAY);
                }
            } finally {
                marking.set(false);
            }
        });

        long unreachable = 0;
        while (marking.get()) {
            active.clear("login", DAY);
            unreachable += unreachableChunks(client);
        }

        assertThat(marks.join(Duration.ofSeconds(60))).isTrue();
        assertThat(unreachable).isZero();
    }

    /** Returns the number of chunks whose number is not in the set. Counts in one Lua script. */
    private static long unreachableChunks(RedisClient client) {
        return client.call(Command.of("EVAL", """
                local missing = 0
                for i, key in ipairs(redis.call('KEYS', '{site}:activity:login:*')) do
                  local chunk = string.match(key, ':(%d+)$')
                  if chunk and redis.call('SISMEMBER', '{site}:activity:login:2026-11-22:chunks', chunk) == 0 then
                    missing = missing + 1
                  end
                end
                return missing
                """, 0).as(Replies::integer));
    }

    @Test
    void exceptionForAnInvalidChunkNumberContainsTheKeyOfTheSet() {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.CHUNKED));
        active.mark("login", 1, SUNDAY);
        client.call(Sets.add("{site}:activity:login:2026-11-22:chunks", "x"));

        assertThatThrownBy(() -> active.count(SetExpression.active("login", DAY)))
                .isInstanceOf(BitmapException.class)
                .hasMessage("a set of chunk numbers has an invalid member: key={site}:activity:login:2026-11-22:chunks."
                        + " Another client writes to this key. Remove the invalid member.");
    }

    @Test
    void queryOfManyChunksSendsItsScriptOnce() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        active.load("login", DAY, LongStream.range(0, 10).map(chunk -> chunk << 17));
        active.load("login", DAY.plus(1), LongStream.range(0, 10).map(chunk -> 1 + (chunk << 17)));
        SetExpression bothDays = SetExpression.active("login", DAY.consecutive(2));
        client.call(Command.of("SCRIPT FLUSH"));
        long bodies = calls(client, "eval");
        long hashes = calls(client, "evalsha");

        assertThat(active.count(bothDays)).isEqualTo(20);

        assertThat(calls(client, "eval") - bodies).isEqualTo(1);
        assertThat(calls(client, "evalsha") - hashes).isEqualTo(9);
    }

    private static long calls(RedisClient client, String command) {
        Matcher calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(client.call(Server.info("commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** Redis doubles the space of a growing string, and jemalloc stores slightly more than 32 KiB in 40 KiB. */
    @Test
    void chunkThatGrowsTakesAtMostTwoAndAHalfTimesTheMemoryOfItsBits() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        SplittableRandom random = new SplittableRandom(20_261_125);

        for (int batch = 0; batch < 1_500; batch++) {
            active.mark(
                    "login",
                    random.longs(100, 0, 131_072)
                            .mapToObj(id -> Mark.on(id, SUNDAY))
                            .toList());
        }

        assertThat(active.count(SetExpression.active("login", DAY))).isGreaterThan(80_000);
        assertThat(active.memoryBytes("login", DAY)).isBetween(16L << 10, 41_500L);
    }

    @Test
    void memoryOfALoadedBitmapIsLittleMoreThanTheSizeOfItsBits() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", BITMAP);

        active.load(
                "login",
                DAY,
                LongStream.concat(
                        LongStream.range(0, 2_000_000),
                        IntStream.of(5_000_000, 5_000_001).asLongStream()));

        assertThat(active.memoryBytes("login", DAY)).isBetween(625_000L, 790_000L);
        assertThat(client.call(Keys.exist("{site}:activity:temporary:1", "{site}:activity:temporary:2")))
                .isZero();
        assertThat(active.members(SetExpression.active("login", List.of(DAY))).count())
                .isEqualTo(2_000_002);
    }
}
