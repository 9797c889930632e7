// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
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

/** The Redis keys of leases. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseKeyTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static Leases<String> leases(String name) {
        RedisClient client = REDIS.client();
        EntryFormat<String> format = new HeaderFormat<>(name, Codec.text());
        RedisCircuit circuit = new RedisCircuit(name, System::nanoTime);
        return new Leases<>(
                new EntryStore<>(client, name, format, Duration.ofSeconds(1), new StatsCounter(), circuit),
                CacheProcess.LONG_LEASE,
                System::nanoTime);
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
    void leaseIsInTheHashSlotOfItsEntry(String key) {
        assertThat(HashSlot.of(tag(leases("texts").redisKey(key)))).isEqualTo(HashSlot.of(tag("texts:" + key)));
    }

    /**
     * Returns the hash tag of a key: the text between the first opening and the next closing brace, or the whole key if
     * this text is empty.
     */
    private static String tag(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    @Test
    void leasesOfDifferentKeysHaveDifferentNames() {
        Leases<String> first = leases("a");
        Leases<String> second = leases("b");
        List<String> keys =
                List.of("foo", "{a:foo}", "{b:foo}", "foo}", "{}foo", "}foo", "~{foo}", "#{foo}", ":{a:foo}");

        assertThat(keys.stream().map(first::redisKey)).doesNotHaveDuplicates();
        assertThat(keys.stream().map(first::redisKey))
                .doesNotContainAnyElementsOf(keys.stream().map(second::redisKey).toList());
    }

    @Test
    void hashSlotsMatchTheClusterSpecification() {
        assertThat(HashSlot.of("123456789")).isEqualTo(0x31C3);
        assertThat(HashSlot.of("foo")).isEqualTo(12_182);
        for (int slot = 0; slot < 16_384; slot++) {
            assertThat(HashSlot.of(Integer.toString(HashSlot.smallestNumberIn(slot))))
                    .isEqualTo(slot);
        }
    }
}
