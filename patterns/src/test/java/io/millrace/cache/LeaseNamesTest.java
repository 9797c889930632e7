// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the lease of a key is called. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseNamesTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static Leases<String> leases(String name) {
        RedisClient client = REDIS.client();
        EntryFormat<String> format = new EntryFormat<>(name, Codec.text());
        return new Leases<>(
                new Store<>(client, name, format, Duration.ofSeconds(1), new Tally()), LoadingProcess.LONG_LEASE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "key",
                "",
                "ключ",
                "{user}:key",
                "a{b}c{d}",
                "a}b",
                "a{}b",
                "a{b",
                "}{",
                "{}",
                "{}{a}",
                "a}{b}",
                "#{1}"
            })
    void aLeaseIsInTheHashSlotOfItsEntry(String key) {
        assertThat(HashSlot.of(tag(leases("texts").redisKey(key)))).isEqualTo(HashSlot.of(tag("texts:" + key)));
    }

    /** What a cluster looks at: what is between the first brace and the next closing one, or all if that is nothing. */
    private static String tag(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    @Test
    void noTwoKeysHaveOneLease() {
        Leases<String> one = leases("a");
        Leases<String> other = leases("b");
        List<String> keys =
                List.of("foo", "{a:foo}", "{b:foo}", "foo}", "{}foo", "}foo", "~{foo}", "#{foo}", ":{a:foo}");

        assertThat(keys.stream().map(one::redisKey)).doesNotHaveDuplicates();
        assertThat(keys.stream().map(one::redisKey))
                .doesNotContainAnyElementsOf(keys.stream().map(other::redisKey).toList());
    }

    @Test
    void hashSlotsAreThoseOfACluster() {
        assertThat(HashSlot.of("123456789")).isEqualTo(0x31C3);
        assertThat(HashSlot.of("foo")).isEqualTo(12_182);
        for (int slot = 0; slot < 16_384; slot++) {
            assertThat(HashSlot.of(Integer.toString(HashSlot.numberIn(slot)))).isEqualTo(slot);
        }
    }
}
