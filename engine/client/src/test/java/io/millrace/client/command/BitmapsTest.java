// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class BitmapsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    BitmapsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void bitsAreSetReadAndCounted() {
        assertThat(redis.run(Bitmaps.set("b", 7, true))).isFalse();
        assertThat(redis.run(Bitmaps.set("b", 7, true))).isTrue();
        assertThat(redis.run(Bitmaps.set("b", 100, true))).isFalse();
        assertThat(redis.run(Bitmaps.get("b", 7))).isTrue();
        assertThat(redis.run(Bitmaps.get("b", 4_294_967_295L))).isFalse();
        assertThat(redis.run(Bitmaps.count("b"))).isEqualTo(2);
        assertThat(redis.run(Bitmaps.count("b", 1, -1))).isEqualTo(1);
        assertThat(redis.run(Bitmaps.set("b", 7, false))).isTrue();
        assertThat(redis.run(Bitmaps.count("b"))).isEqualTo(1);
    }

    @Test
    void firstSetOrClearBitIsFound() {
        redis.run(Strings.set(new byte[] {'b'}, new byte[] {(byte) 0xff, 0x0f}));

        assertThat(redis.run(Bitmaps.position("b", false))).hasValue(8L);
        assertThat(redis.run(Bitmaps.position("b", true))).hasValue(0L);
        assertThat(redis.run(Bitmaps.position("none", true))).isEmpty();
    }

    @Test
    void bitmapsAreCombinedByEachBitOperation() {
        redis.run(Strings.set(new byte[] {'a'}, new byte[] {0b1100}));
        redis.run(Strings.set(new byte[] {'b'}, new byte[] {0b1010}));

        assertThat(combined(BitOperation.AND, "a", "b")).containsExactly(0b1000);
        assertThat(combined(BitOperation.OR, "a", "b")).containsExactly(0b1110);
        assertThat(combined(BitOperation.XOR, "a", "b")).containsExactly(0b0110);
        assertThat(combined(BitOperation.NOT, "a")).containsExactly(0b11110011);
    }

    @Test
    void bitFieldReadsAndChangesNumbersOfAnyWidth() {
        BitField operations = BitField.begin()
                .set("u8", 0, 250)
                .increment("u8", 0, 10)
                .saturating()
                .increment("u8", 8, 300)
                .failing()
                .increment("u8", 8, 1)
                .wrapping()
                .increment("u8", 8, 2)
                .get("i8", 0);

        assertThat(redis.run(Bitmaps.field("f", operations)))
                .containsExactly(
                        Optional.of(0L),
                        Optional.of(4L),
                        Optional.of(255L),
                        Optional.empty(),
                        Optional.of(1L),
                        Optional.of(4L));
        assertThat(redis.run(Bitmaps.field(
                        "g", BitField.begin().set("i64", 0, Long.MIN_VALUE).get("i64", 0))))
                .containsExactly(Optional.of(0L), Optional.of(Long.MIN_VALUE));
    }

    @Test
    void bitsAreCountedAndFoundInARange() {
        redis.run(Strings.set("b", "\u0001\u0001\u0000"));

        assertThat(redis.run(Bitmaps.countBits("b", 0, 7))).isEqualTo(1);
        assertThat(redis.run(Bitmaps.countBits("b", 8, 14))).isZero();
        assertThat(redis.run(Bitmaps.position("b", true, 1, -1))).hasValue(15L);
        assertThat(redis.run(Bitmaps.position("b", true, 2, -1))).isEmpty();
    }

    @Test
    void numbersAreReadWithoutAWrite() {
        redis.run(Strings.set("b", "A"));

        assertThat(redis.run(
                        Bitmaps.readField("b", BitField.begin().get("u8", 0).get("u4", 0))))
                .containsExactly(Optional.of(65L), Optional.of(4L));
        assertThatThrownBy(
                        () -> redis.run(Bitmaps.readField("b", BitField.begin().set("u8", 0, 1))))
                .hasMessageContaining("BITFIELD_RO only supports the GET subcommand");
    }

    private byte[] combined(BitOperation operation, String... sources) {
        assertThat(redis.run(Bitmaps.combine(operation, "to", sources))).isEqualTo(1);
        return redis.run(Strings.get("to").as(Replies::bytes));
    }
}
