// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class StringsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    StringsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void valuesAreSetReadAndDeleted() {
        assertThat(redis.run(Strings.get("k"))).isEmpty();
        assertThat(redis.run(Strings.set("k", "größer"))).isEqualTo("OK");
        assertThat(redis.run(Strings.get("k"))).hasValue("größer");
        assertThat(redis.run(Strings.length("k"))).isEqualTo(8);
        assertThat(redis.run(Strings.getAndDelete("k"))).hasValue("größer");
        assertThat(redis.run(Strings.getAndDelete("k"))).isEmpty();
    }

    @Test
    void conditionalSetReturnsWhetherTheValueWasSet() {
        assertThat(redis.run(Strings.set("k", "1", SetOptions.IF_PRESENT))).isFalse();
        assertThat(redis.run(Strings.set("k", "2", SetOptions.IF_ABSENT))).isTrue();
        assertThat(redis.run(Strings.set("k", "3", SetOptions.IF_ABSENT))).isFalse();
        assertThat(redis.run(Strings.set("k", "4", SetOptions.IF_PRESENT))).isTrue();
        assertThat(redis.run(Strings.set("k", "5", SetOptions.ALWAYS))).isTrue();
        assertThat(redis.run(Strings.get("k"))).hasValue("5");
    }

    @Test
    void oldValueIsReturnedWhenTheNewValueIsSet() {
        assertThat(redis.run(Strings.getAndSet("k", "1", SetOptions.ALWAYS))).isEmpty();
        assertThat(redis.run(Strings.getAndSet("k", "2", SetOptions.ALWAYS))).hasValue("1");
        assertThat(redis.run(Strings.getAndSet("k", "3", SetOptions.IF_ABSENT))).hasValue("2");
        assertThat(redis.run(Strings.get("k"))).hasValue("2");
    }

    @Test
    void expiryIsSetKeptAndRemoved() {
        Duration hour = Duration.ofHours(1);

        assertThat(redis.run(Strings.set("k", "1", SetOptions.ALWAYS.expiringIn(hour))))
                .isTrue();
        assertThat(ttl()).isBetween(hour.minusMinutes(1), hour);
        assertThat(redis.run(Strings.set("k", "2", SetOptions.IF_PRESENT.keepingTtl())))
                .isTrue();
        assertThat(ttl()).isBetween(hour.minusMinutes(1), hour);
        assertThat(redis.run(Strings.set("k", "3"))).isEqualTo("OK");
        assertThat(redis.run(Keys.timeToLive("k"))).isEqualTo(new TimeToLive.Unlimited());
        assertThat(redis.run(Strings.getAndExpire("k", Duration.ofMinutes(5)))).hasValue("3");
        assertThat(ttl()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
    }

    @Test
    void severalValuesAreSetAndReadWithOneCommand() {
        assertThat(redis.run(Strings.setAll(Map.of("a", "1", "b", "2")))).isEqualTo("OK");
        redis.run(Lists.pushLeft("list", "x"));

        assertThat(redis.run(Strings.getAll("b", "none", "list", "a")))
                .containsExactly(Optional.of("2"), Optional.empty(), Optional.empty(), Optional.of("1"));
    }

    @Test
    void numbersAreIncrementedAndDecremented() {
        assertThat(redis.run(Strings.increment("n"))).isEqualTo(1);
        assertThat(redis.run(Strings.increment("n", Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE);
        assertThat(redis.run(Strings.decrement("n", Long.MAX_VALUE))).isZero();
        assertThat(redis.run(Strings.increment("n", -5))).isEqualTo(-5);
        assertThat(redis.run(Strings.incrementReal("x", 1.5))).isEqualTo(1.5);
        assertThat(redis.run(Strings.incrementReal("x", -1e20))).isEqualTo(-1e20);
    }

    @Test
    void partsOfAStringAreReadAppendedAndOverwritten() {
        assertThat(redis.run(Strings.append("k", "hello"))).isEqualTo(5);
        assertThat(redis.run(Strings.append("k", " world"))).isEqualTo(11);
        assertThat(redis.run(Strings.getRange("k", -5, -1))).isEqualTo("world");
        assertThat(redis.run(Strings.getRange("none", 0, -1))).isEmpty();
        assertThat(redis.run(Strings.setRange("k", 6, "Redis"))).isEqualTo(11);
        assertThat(redis.run(Strings.get("k"))).hasValue("hello Redis");
    }

    @Test
    void keysAreSetOnlyIfNoneOfThemExists() {
        assertThat(redis.run(Strings.setAllIfAbsent(Map.of("a", "1", "b", "2"))))
                .isTrue();
        assertThat(redis.run(Strings.setAllIfAbsent(Map.of("b", "3", "c", "4"))))
                .isFalse();
        assertThat(redis.run(Strings.getAll("b", "c"))).containsExactly(Optional.of("2"), Optional.empty());
    }

    @Test
    void longestCommonSubsequenceIsRead() {
        redis.run(Strings.setAll(Map.of("a", "ohmytext", "b", "mynewtext")));

        assertThat(redis.run(Strings.commonSubsequence("a", "b"))).isEqualTo("mytext");
        assertThat(redis.run(Strings.commonSubsequenceLength("a", "b"))).isEqualTo(6);
        assertThat(redis.run(Strings.commonSubsequenceLength("a", "none"))).isZero();
    }

    @Test
    void readChangesOrRemovesTheExpiryOfTheKey() {
        Instant time = Instant.ofEpochMilli(4_000_000_000_123L);
        redis.run(Strings.set("k", "v", SetOptions.ALWAYS.expiringAt(time)));

        assertThat(redis.run(KeyExpiry.expiryTime("k"))).hasValue(time);
        assertThat(redis.run(Strings.getAndExpire("k", Expiry.at(time.plusMillis(1)))))
                .hasValue("v");
        assertThat(redis.run(Strings.getAndExpire("k", Expiry.KEEP))).hasValue("v");
        assertThat(redis.run(KeyExpiry.expiryTime("k"))).hasValue(time.plusMillis(1));
        assertThat(redis.run(Strings.getAndExpire("k", Expiry.NONE))).hasValue("v");
        assertThat(redis.run(Keys.timeToLive("k"))).isEqualTo(new TimeToLive.Unlimited());
    }

    private Duration ttl() {
        return ((TimeToLive.Expires) redis.run(Keys.timeToLive("k"))).left();
    }
}
