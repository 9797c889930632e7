// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The codec with Jackson 2 in docs/cache.md. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class Jackson2CodecTest {

    private record Price(String currency, int cents) {}

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static Codec<Price> prices() {
        ObjectMapper mapper = new ObjectMapper(); // com.fasterxml.jackson.databind.ObjectMapper
        return Codec.text(price -> mapper.valueToTree(price).toString(), text -> {
            try {
                return mapper.readValue(text, Price.class);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(e); // the entry counts as a miss
            }
        });
    }

    @Test
    void recordsSurviveEncodingAndDecoding() {
        Price price = new Price("EUR", 199);

        assertThat(JsonCodecTest.roundTrip(prices(), price)).isEqualTo(price);
    }

    @Test
    void malformedEntryIsLoadedAgain() {
        RedisClient client = REDIS.client();
        Cache<Price> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "prices", prices())
                .options(RedisExtension.longTimeouts().build())
                .format(Format.PLAIN)
                .build());
        Price price = new Price("EUR", 199);
        cache.put("book", price, Duration.ofMinutes(1));
        assertThat(cache.getIfPresent("book")).hasValue(price);
        assertThat(client.call(Strings.get("prices:book"))).hasValue("{\"currency\":\"EUR\",\"cents\":199}");

        client.call(Strings.set("prices:book", "{"));

        assertThat(cache.get("book", key -> new Price("USD", 1))).isEqualTo(new Price("USD", 1));
        assertThat(cache.stats().undecodable()).isEqualTo(1);
    }
}
