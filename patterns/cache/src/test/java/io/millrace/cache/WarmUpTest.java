// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WarmUpTest {

    private static final int ENTRIES = Integer.getInteger("millrace.warmUpEntries", 30_000);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static Iterator<Map.Entry<String, String>> entries() {
        return IntStream.range(0, ENTRIES)
                .mapToObj(number -> Map.entry("key" + number, "value of key" + number))
                .iterator();
    }

    @Test
    void allEntriesAreWrittenAndFound() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());

        WarmUpStats report = cache.warmUp(entries());

        assertThat(report).isEqualTo(new WarmUpStats(ENTRIES, ENTRIES, 0, 0, 0, ""));
        assertThat(report.isComplete()).isTrue();
        assertThat(client.call(Server.size())).isEqualTo(ENTRIES);
        List<String> keys = IntStream.range(0, ENTRIES)
                .filter(number -> number % 100 == 0)
                .mapToObj(number -> "key" + number)
                .toList();
        assertThat(cache.getAll(keys, key -> "not found"))
                .allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key));
        assertThat(cache.stats().loads()).isZero();
    }

    @Test
    void entryThatCannotBeEncodedIsCountedAndTheOtherEntriesAreWritten() {
        Codec<String> noZeros = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                if (value.endsWith("0")) {
                    throw new IllegalStateException("value ends in 0");
                }
                return Codec.text().encode(value);
            }

            @Override
            public String decode(byte[] bytes, int offset, int length) {
                return Codec.text().decode(bytes, offset, length);
            }
        };
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(), "texts", noZeros, RedisExtension.longTimeouts().build()));

        WarmUpStats report = cache.warmUp(entries());

        assertThat(report)
                .isEqualTo(new WarmUpStats(
                        ENTRIES,
                        ENTRIES - ENTRIES / 10,
                        ENTRIES / 10,
                        0,
                        0,
                        "the value could not be encoded: java.lang.IllegalStateException"));
        assertThat(report.isComplete()).isFalse();
    }

    @Test
    void entryThatTheServerRefusesIsCountedAsRejected() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        client.call(Command.of("CONFIG SET", "maxmemory", "1"));
        try {
            WarmUpStats report = cache.warmUp(entries());

            assertThat(report.rejected()).isEqualTo(ENTRIES);
            assertThat(report.firstFailure()).startsWith("OOM ");
        } finally {
            client.call(Command.of("CONFIG SET", "maxmemory", "0"));
        }
    }

    @Test
    void warmUpEndsAtAConnectionLossAndCountsEachEntryThatWasRead() {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                RedisExtension.longTimeouts().build()));
        Iterator<Map.Entry<String, String>> all = entries();
        Iterator<Map.Entry<String, String>> breaking = new Iterator<>() {
            private int returned;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public Map.Entry<String, String> next() {
                // The number of entries without a reply is limited. So Redis has confirmed many entries before the
                // iterator returns this entry.
                if (++returned == ENTRIES * 2 / 3) {
                    proxy.disconnectAll(ConnectionEnd.RESET);
                }
                return all.next();
            }
        };

        WarmUpStats report = cache.warmUp(breaking);

        System.out.println("WarmUpTest: " + report);
        assertThat(report.written()).isBetween(1L, ENTRIES - 1L);
        assertThat(report.unconfirmed() + report.notSent()).isPositive();
        assertThat(report.firstFailure()).isNotEmpty();
        assertThat(all.hasNext()).as("the iterator has unread entries").isTrue();
    }

    @Test
    void inconsistentWarmUpStatsAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarmUpStats(3, 1, 0, 0, 1, ""))
                .withMessageStartingWith("inconsistent warm-up stats: read=3, written=1,");
    }
}
