// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

class JsonCodecTest {

    private record Price(String currency, int cents) {}

    @Test
    void valuesSurviveEncodingAndDecoding() {
        assertThat(roundTrip(JsonCodec.of(Price.class), new Price("EUR", 199))).isEqualTo(new Price("EUR", 199));
    }

    @Test
    void listOfAGenericTypeSurvivesEncodingAndDecoding() {
        Codec<List<Price>> codec = JsonCodec.of(new TypeReference<List<Price>>() {}, JsonMapper.shared());

        assertThat(roundTrip(codec, List.of(new Price("EUR", 1), new Price("USD", 2))))
                .containsExactly(new Price("EUR", 1), new Price("USD", 2));
        assertThat(new String(codec.encode(List.of(new Price("EUR", 1))), UTF_8))
                .isEqualTo("[{\"currency\":\"EUR\",\"cents\":1}]");
    }

    @Test
    void malformedBytesAreRejected() {
        assertRejects(JsonCodec.of(Price.class), "{\"currency\":".getBytes(UTF_8));
        assertRejects(JsonCodec.of(Price.class), "null".getBytes(UTF_8));
    }

    static void assertRejects(Codec<?> codec, byte[] bytes) {
        assertThatThrownBy(() -> codec.decode(bytes, 0, bytes.length)).isInstanceOf(RuntimeException.class);
    }

    /** Encodes and decodes from the middle of a larger array, as in an entry. */
    static <V> V roundTrip(Codec<V> codec, V value) {
        byte[] bytes = codec.encode(value);
        byte[] larger = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, larger, 3, bytes.length);
        return codec.decode(larger, 3, bytes.length);
    }
}
