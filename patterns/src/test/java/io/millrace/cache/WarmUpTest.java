// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Server;
import io.millrace.testkit.Ending;
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

    private static final int ENTRIES = 100_000;

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static Iterator<Map.Entry<String, String>> entries() {
        return IntStream.range(0, ENTRIES)
                .mapToObj(number -> Map.entry("key" + number, "value of key" + number))
                .iterator();
    }

    @Test
    void everyEntryIsWrittenAndFound() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());

        WarmUpAccount account = cache.warmUp(entries());

        assertThat(account).isEqualTo(new WarmUpAccount(ENTRIES, ENTRIES, 0, 0, 0, ""));
        assertThat(account.complete()).isTrue();
        assertThat(client.call(Server.size())).isEqualTo(ENTRIES);
        List<String> keys = IntStream.range(0, ENTRIES)
                .filter(number -> number % 100 == 0)
                .mapToObj(number -> "key" + number)
                .toList();
        assertThat(cache.getAll(keys, key -> "not found"))
                .allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key));
        assertThat(cache.counts().loads()).isZero();
    }

    @Test
    void anEntryThatIsRefusedIsInTheAccountAndStopsNoOther() {
        Codec<String> noZeros = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                if (value.endsWith("0")) {
                    throw new IllegalStateException("a zero");
                }
                return Codec.text().encode(value);
            }

            @Override
            public String decode(byte[] bytes, int offset, int length) {
                return Codec.text().decode(bytes, offset, length);
            }
        };
        Cache<String> cache = REDIS.closing(
                Cache.of(REDIS.client(), "texts", noZeros, Redis.patient().build()));

        WarmUpAccount account = cache.warmUp(entries());

        assertThat(account)
                .isEqualTo(new WarmUpAccount(
                        ENTRIES,
                        ENTRIES - ENTRIES / 10,
                        ENTRIES / 10,
                        0,
                        0,
                        "not encoded: java.lang.IllegalStateException"));
        assertThat(account.complete()).isFalse();
    }

    @Test
    void whatTheServerRefusesIsRejected() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());
        client.call(Command.of("CONFIG SET", "maxmemory", "1"));
        try {
            WarmUpAccount account = cache.warmUp(entries());

            assertThat(account.rejected()).isEqualTo(ENTRIES);
            assertThat(account.firstFailure()).startsWith("OOM ");
        } finally {
            client.call(Command.of("CONFIG SET", "maxmemory", "0"));
        }
    }

    @Test
    void aLostConnectionEndsItAndTheAccountIsClosed() {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closing(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                Redis.patient().build()));
        Iterator<Map.Entry<String, String>> all = entries();
        Iterator<Map.Entry<String, String>> breaking = new Iterator<>() {
            private int given;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public Map.Entry<String, String> next() {
                if (++given == ENTRIES / 2) {
                    proxy.disconnectAll(Ending.RESET);
                }
                return all.next();
            }
        };

        WarmUpAccount account = cache.warmUp(breaking);

        System.out.println("WarmUpTest: " + account);
        assertThat(account.written()).isBetween(1L, ENTRIES - 1L);
        assertThat(account.unconfirmed() + account.notSent()).isPositive();
        assertThat(account.firstFailure()).isNotEmpty();
        assertThat(all.hasNext()).as("no more were read").isTrue();
    }

    @Test
    void anAccountThatDoesNotAddUpIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarmUpAccount(3, 1, 0, 0, 1, ""))
                .withMessageStartingWith("entries do not add up: read=3, written=1,");
    }
}
