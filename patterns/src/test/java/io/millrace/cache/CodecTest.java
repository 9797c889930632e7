// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

class CodecTest {

    private record Price(String currency, int cents) {}

    @Test
    void whatWasWrittenIsReadAgain() {
        assertThat(again(Codec.text(), "grün \ufffd €")).isEqualTo("grün \ufffd €");
        assertThat(again(Codec.text(), "")).isEmpty();
        assertThat(again(Codec.bytes(), new byte[] {0, -1, 13, 10})).containsExactly(0, -1, 13, 10);
        assertThat(again(JsonCodec.of(Price.class), new Price("EUR", 199))).isEqualTo(new Price("EUR", 199));
        assertThat(again(Codec.versioned(7, Codec.text()), "seven")).isEqualTo("seven");
    }

    @Test
    void jsonOfAGenericTypeKeepsItsElements() {
        Codec<List<Price>> codec = JsonCodec.of(new TypeReference<List<Price>>() {}, JsonMapper.shared());

        assertThat(again(codec, List.of(new Price("EUR", 1), new Price("USD", 2))))
                .containsExactly(new Price("EUR", 1), new Price("USD", 2));
        assertThat(new String(codec.encode(List.of(new Price("EUR", 1))), UTF_8))
                .isEqualTo("[{\"currency\":\"EUR\",\"cents\":1}]");
    }

    @Test
    void bytesThatAreNoneOfItsOwnAreRefused() {
        refuses(Codec.text(), new byte[] {(byte) 0xc3, 0x28});
        refuses(JsonCodec.of(Price.class), "{\"currency\":".getBytes(UTF_8));
        refuses(JsonCodec.of(Price.class), "null".getBytes(UTF_8));
        refuses(
                Codec.versioned(2, Codec.text()),
                Codec.versioned(1, Codec.text()).encode("old"));
        refuses(Codec.versioned(2, Codec.text()), new byte[] {0});
    }

    @Test
    void whatUtf8DoesNotHaveIsNotWritten() {
        assertThat(again(Codec.text(), "\ud83d\ude00")).isEqualTo("\ud83d\ude00");
        assertThatThrownBy(() -> Codec.text().encode("\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Codec.text().encode("\ude00\ud83d")).isInstanceOf(IllegalArgumentException.class);
    }

    private static void refuses(Codec<?> codec, byte[] bytes) {
        assertThatThrownBy(() -> codec.decode(bytes, 0, bytes.length)).isInstanceOf(RuntimeException.class);
    }

    /** From the middle of a larger array, as in an entry. */
    private static <V> V again(Codec<V> codec, V value) {
        byte[] bytes = codec.encode(value);
        byte[] larger = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, larger, 3, bytes.length);
        return codec.decode(larger, 3, bytes.length);
    }
}
