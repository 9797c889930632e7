// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class CodecTest {

    @Test
    void decodedValueEqualsTheEncodedValue() {
        assertThat(roundTrip(Codec.text(), "grün \ufffd €")).isEqualTo("grün \ufffd €");
        assertThat(roundTrip(Codec.text(), "")).isEmpty();
        assertThat(roundTrip(Codec.text(), "\ud83d\ude00")).isEqualTo("\ud83d\ude00");
        assertThat(roundTrip(Codec.bytes(), new byte[] {0, -1, 13, 10})).containsExactly(0, -1, 13, 10);
        assertThat(roundTrip(Codec.text(String::valueOf, Integer::valueOf), -42))
                .isEqualTo(-42);
        assertThat(roundTrip(Codec.of(BigInteger::toByteArray, BigInteger::new), BigInteger.TEN))
                .isEqualTo(BigInteger.TEN);
    }

    @Test
    void textIsEncodedInUtf8() {
        assertThat(Codec.text().encode("a\u20ac")).containsExactly('a', 0xe2, 0x82, 0xac);
        assertThat(Codec.text().encode("\ud83d\ude00")).hasSize(4);
    }

    @Test
    void malformedUtf8IsRejected() {
        assertThatThrownBy(() -> Codec.text().decode(new byte[] {(byte) 0xc3, 0x28}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a value is not text in UTF-8: bytes=2. Use a codec that can decode the value.");
        assertThatThrownBy(() -> Codec.text().decode(new byte[] {'a', (byte) 0xff, 'b'}, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=1");
    }

    @Test
    void bytesOutsideTheGivenRangeAreNotDecoded() {
        assertThat(Codec.text().decode(new byte[] {(byte) 0xff, 'a', (byte) 0xff}, 1, 1))
                .isEqualTo("a");
    }

    @Test
    void textWithAnUnpairedSurrogateIsRejected() {
        assertThatThrownBy(() -> Codec.text().encode("\ud800"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a text cannot be encoded in UTF-8: it has an unpaired surrogate, characters=1."
                        + " Use Codec.bytes() for data that is not text.");
        assertThatThrownBy(() -> Codec.text().encode("\ude00\ud83d")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Codec.text().encode("half a pair: \ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("characters=14");
    }

    @Test
    void codecForBytesCopiesAnArrayOnlyIfARangeOfTheArrayIsDecoded() {
        byte[] bytes = {1, 2, 3};

        assertThat(Codec.bytes().encode(bytes)).isSameAs(bytes);
        assertThat(Codec.bytes().decode(bytes)).isSameAs(bytes);
        assertThat(Codec.bytes().decode(bytes, 0, 3)).isNotSameAs(bytes).containsExactly(1, 2, 3);
    }

    @Test
    void exceptionOfAConversionFunctionIsThrownUnchanged() {
        Codec<Integer> numbers = Codec.text(String::valueOf, Integer::valueOf);

        assertThatThrownBy(() -> numbers.decode("x".getBytes(UTF_8))).isInstanceOf(NumberFormatException.class);
        assertThatThrownBy(() -> numbers.decode(new byte[] {(byte) 0xff})).hasMessageContaining("not text in UTF-8");
    }

    /**
     * Encodes {@code value}, decodes the bytes as a whole array and from the middle of a larger array, and checks that
     * both results are equal.
     */
    private static <T> T roundTrip(Codec<T> codec, T value) {
        byte[] bytes = codec.encode(value);
        byte[] larger = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, larger, 3, bytes.length);
        T ofRange = codec.decode(larger, 3, bytes.length);
        assertThat(codec.decode(bytes)).isEqualTo(ofRange);
        return ofRange;
    }
}
