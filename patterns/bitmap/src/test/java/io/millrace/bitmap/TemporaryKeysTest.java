// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.TimeToLive;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.resp.Reply;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Temporary keys of an activity are always deleted or expire. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TemporaryKeysTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final ActivityOptions BITMAP = ActivityOptions.keptForever().encoding(Encoding.BITMAP);
    private static final List<Span> DAYS = Span.day(LocalDate.of(2026, 11, 1)).consecutive(4);
    private static final SetExpression EVER = SetExpression.active("login", DAYS);
    private static final SetExpression LAPSED = EVER.except(SetExpression.active("login", DAYS.getLast()))
            .or(SetExpression.active("signup", DAYS.getFirst()));

    private static Activity threeMillion(RedisClient client) {
        Activity active = Activity.of(client, "site", BITMAP);
        DAYS.forEach(
                day -> active.load("login", day, LongStream.range(0, 1_000_000).map(i -> i * 3)));
        return active;
    }

    private static List<String> temporaries(RedisClient client) {
        return REDIS.keys(client).stream()
                .filter(key -> key.contains("temporary"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"BITMAP", "CHUNKED"})
    void errorDuringACombinationLeavesNoTemporaryKey(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
        DAYS.forEach(day -> active.load("login", day, LongStream.range(0, 1_000)));
        active.mark("signup", 1, LocalDate.of(2026, 11, 1));
        String last = "{site}:activity:signup:2026-11-01" + (encoding == Encoding.CHUNKED ? ":0" : "");
        client.call(Keys.unlink(last));
        client.call(Lists.pushLeft(last, "not a bitmap"));
        int keys = REDIS.keys(client).size();

        assertThatThrownBy(() -> active.count(LAPSED))
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> active.members(LAPSED).sum())
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("WRONGTYPE");

        assertThat(REDIS.keys(client)).hasSize(keys);
        client.call(Keys.unlink(last));
        assertThat(active.count(LAPSED)).isZero();
    }

    @Test
    void temporaryResultIsStoredOnlyWhileItsStreamIsRead() {
        RedisClient client = REDIS.client();
        Activity active = threeMillion(client);

        try (LongStream members = active.members(EVER)) {
            assertThat(temporaries(client))
                    .singleElement()
                    .satisfies(key -> assertThat(client.call(Keys.timeToLive(key)))
                            .isInstanceOfSatisfying(
                                    TimeToLive.Expires.class,
                                    expiry -> assertThat(expiry.left()).isLessThanOrEqualTo(TemporaryResult.EXPIRY)));
            assertThat(members.limit(5)).containsExactly(0L, 3L, 6L, 9L, 12L);
        }
        assertThat(temporaries(client)).isEmpty();

        assertThat(active.members(EVER).count()).isEqualTo(1_000_000);
        assertThat(temporaries(client)).isEmpty();
    }

    @Test
    void readerOfADeletedTemporaryResultReceivesAnException() {
        RedisClient client = REDIS.client();
        Activity active = threeMillion(client);

        LongStream members = active.members(EVER);
        client.call(Keys.unlink(temporaries(client).getFirst()));

        assertThatThrownBy(members::sum)
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith(
                        "a temporary result expired or was deleted while it was read: key={site}:activity:temporary:")
                .hasMessageEndingWith(", offset=0, kept=PT1M. Read without long pauses.");
    }

    @Test
    void interruptedReaderLeavesNoTemporaryKey() {
        RedisClient client = REDIS.client();
        Activity active = threeMillion(client);

        LongStream members = active.members(EVER).peek(id -> {
            if (id == 3_000) {
                Thread.currentThread().interrupt();
            }
        });

        assertThatThrownBy(members::sum)
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith("the thread was interrupted while it read bits");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(temporaries(client)).isEmpty();
    }

    @Test
    void interruptWhileTheServerComputesASetLeavesNoTemporaryKey() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient slow = REDIS.client(proxy.port());
        Activity active = threeMillion(slow);
        active.members(EVER).close(); // loads the Lua script into the server
        proxy.stall(Direction.TO_CLIENT);

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> active.members(EVER)).isInstanceOf(InterruptedCommandException.class);

        assertThat(Thread.interrupted()).isTrue();
        proxy.resume(Direction.TO_CLIENT);
        assertThat(temporaries(slow)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"BITMAP", "CHUNKED"})
    void loadIntoAKeyOfAnotherTypeLeavesNoTemporaryKey(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
        String key = "{site}:activity:login:2026-11-01" + (encoding == Encoding.CHUNKED ? ":0" : "");
        client.call(Lists.pushLeft(key, "not a bitmap"));

        assertThatThrownBy(() -> active.load("login", DAYS.getFirst(), LongStream.range(0, 500_000)))
                .isInstanceOf(BitmapException.class)
                .hasMessageContaining("WRONGTYPE");

        assertThat(temporaries(client)).isEmpty();
    }

    @Test
    void loadThatLosesItsConnectionLeavesMarksButNoTemporaryKey() {
        FaultProxy proxy = REDIS.proxy();
        Activity broken = Activity.of(REDIS.client(proxy.port()), "site", BITMAP);
        RedisClient client = REDIS.client();
        long connections = REDIS.connections(client);
        proxy.cutNext(Direction.TO_SERVER, 500_000, ConnectionEnd.RESET);

        assertThatThrownBy(() -> broken.load("login", DAYS.getFirst(), LongStream.range(0, 10_000_000)))
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith("the load of marks failed: sentBlocks=");

        REDIS.awaitConnections(client, connections);
        assertThat(temporaries(client)).isEmpty();
        long stored = broken.count(EVER);
        assertThat(broken.load("login", DAYS.getFirst(), LongStream.range(0, 10_000_000)))
                .isEqualTo(new LoadCounts(10_000_000, 10_000_000 - stored, 0));
    }

    @Test
    void interruptedLoadLeavesNoTemporaryKey() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", BITMAP);
        LongStream ids = LongStream.range(0, 10_000_000).peek(id -> {
            if (id == 9_999_999) {
                Thread.currentThread().interrupt();
            }
        });

        assertThatThrownBy(() -> active.load("login", DAYS.getFirst(), ids))
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith("the load of marks was interrupted");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(temporaries(client)).isEmpty();
    }

    @Test
    void loadKeepsExistingMarksAndTheirExpiry() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", BITMAP);
        Span day = DAYS.getFirst();
        active.load("login", day, LongStream.range(0, 500_000).map(i -> 2 * i));
        client.call(Keys.expire("{site}:activity:login:2026-11-01", Duration.ofHours(1)));

        LoadCounts loadCounts = active.load("login", day, LongStream.range(0, 600_000));

        assertThat(loadCounts).isEqualTo(new LoadCounts(600_000, 300_000, 0));
        assertThat(active.count(SetExpression.active("login", day))).isEqualTo(800_000);
        assertThat(client.call(Keys.timeToLive("{site}:activity:login:2026-11-01")))
                .isInstanceOf(TimeToLive.Expires.class);
    }

    @Test
    void marksOfOtherClientsDuringALoadAreKept() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", BITMAP.historyBytes(1 << 20));
        Iterator<Mark> history = LongStream.range(0, 3_000)
                .peek(i -> client.call(Bitmaps.set("{site}:activity:login:2026-11-01", 20_000_000 + i, true)))
                .mapToObj(i -> Mark.on(i * 5_000, LocalDate.of(2026, 11, 1)))
                .iterator();

        active.load("login", history);

        assertThat(active.count(EVER)).isEqualTo(6_000);
    }

    @ParameterizedTest
    @EnumSource
    void concurrentMarksAllSucceed(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));

        IntStream.range(0, 200).parallel().forEach(id -> active.mark("login", id, LocalDate.of(2026, 11, 1)));

        assertThat(active.count(EVER)).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void keysOfACommandShareAHashSlot(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
        client.call(Server.setConfig("slowlog-max-len", "10000"));
        client.call(Server.setConfig("slowlog-log-slower-than", "0"));
        try {
            DAYS.forEach(day -> active.load("login", day, LongStream.range(0, 40_000)));
            active.mark("login", 5_000_000, LocalDate.of(2026, 11, 1));
            active.count(LAPSED);
            assertThat(active.members(LAPSED).count()).isEqualTo(1);
            active.cohorts("login", DAYS);
        } finally {
            client.call(Server.setConfig("slowlog-log-slower-than", "10000"));
        }

        List<String> keys = new ArrayList<>();
        for (Reply entry : Replies.items(client.call(Command.of("SLOWLOG GET", 10_000)))) {
            List<String> words =
                    Replies.list(Replies::text).apply(Replies.items(entry).get(3));
            // The bytes of a bitmap may begin with a brace, too.
            words.stream().filter(word -> word.matches("\\{[^}]*}:activity.*")).forEach(keys::add);
        }
        assertThat(keys)
                .hasSizeGreaterThan(10)
                .allSatisfy(key -> assertThat(HashSlots.of(key)).isEqualTo(HashSlots.of("site")));
    }
}
