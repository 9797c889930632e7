// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedRedis;
import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySlotTest {

    private static final int RANDOM_KEYS = 5_000;

    @ParameterizedTest
    @CsvSource({"123456789, 12739", "'', 0", "foo, 12182", "bar, 5061", "hello, 866", "a, 15495"})
    void slotsOfKnownKeys(String key, int expected) {
        assertThat(KeySlot.of(key)).isEqualTo(expected);
        assertThat(KeySlot.of(key.getBytes(UTF_8))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "{user1000}.following, user1000",
        "{user1000}.followers, user1000",
        "foo{{bar}}zap, {bar",
        "foo{bar}{zap}, bar",
        "{a}, a",
        "x}{a}, a",
        "{a}b}, a"
    })
    void onlyTheHashTagIsHashed(String key, String tag) {
        assertThat(KeySlot.of(key)).isEqualTo(slotWithoutTags(tag));
        assertThat(KeySlot.of(key.getBytes(UTF_8))).isEqualTo(slotWithoutTags(tag));
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo{}{bar}", "{}", "{}foo", "foo{bar", "foo}bar", "}foo{", "foo{"})
    void keyWithoutAHashTagIsHashedAsAWhole(String key) {
        assertThat(KeySlot.of(key)).isEqualTo(slotWithoutTags(key));
        assertThat(KeySlot.of(key.getBytes(UTF_8))).isEqualTo(slotWithoutTags(key));
    }

    @Test
    void textIsHashedAsUtf8() {
        // The last three keys have incomplete surrogate pairs.
        List<String> keys = List.of(
                "\u00fc",
                "{\u00fcber}:x",
                "\u65e5{a}",
                "\ud83d\ude00",
                "a{\ud83d\ude00",
                "x\ud83d",
                "{\ud83d}\ude00",
                "\ude00{}");

        assertThat(keys).allSatisfy(key -> assertThat(KeySlot.of(key)).isEqualTo(KeySlot.of(key.getBytes(UTF_8))));
    }

    @Test
    void keyInAPartOfAnArrayIsHashedWithoutTheRest() {
        byte[] bytes = "{x}foo}".getBytes(US_ASCII);

        assertThat(KeySlot.of(bytes, 3, 3)).isEqualTo(12_182);
        assertThat(KeySlot.of(bytes, 0, 2)).isEqualTo(slotWithoutTags("{x"));
        assertThat(KeySlot.of(bytes, 7, 0)).isZero();
        assertThatThrownBy(() -> KeySlot.of(bytes, 5, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> KeySlot.of(bytes, -1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void hashingAllocatesNothing() {
        byte[] bytes = "before{user1000}after".getBytes(US_ASCII);
        String text = "before{user1000}after";
        int expected = slotWithoutTags("user1000");
        allHave(expected, bytes, text, 1_000);

        long before = allocated();
        boolean same = allHave(expected, bytes, text, 100_000);
        long allocated = allocated() - before;

        assertThat(same).isTrue();
        // A single object per key would be 1,600,000 bytes.
        assertThat(allocated).isLessThan(10_000);
    }

    @Test
    void slotsOfRandomKeysAreTheSlotsOfAServer() {
        Random random = new Random(1);
        try (EmbeddedRedis node = ClusterNode.start();
                RawConnection connection = RawConnection.open(node.host(), node.port(), 2)) {
            for (int i = 0; i < RANDOM_KEYS; i++) {
                byte[] key = randomKey(random);

                long expected =
                        connection.run(Command.of("CLUSTER KEYSLOT", key).as(Replies::integer));

                assertThat(KeySlot.of(key))
                        .as(() -> HexFormat.of().formatHex(key))
                        .isEqualTo((int) expected)
                        .isBetween(0, KeySlot.COUNT - 1);
            }
        }
    }

    /** Returns a key with random bytes. A third of the bytes are braces, so that many keys have a hash tag. */
    private static byte[] randomKey(Random random) {
        byte[] key = new byte[random.nextInt(20)];
        random.nextBytes(key);
        for (int i = 0; i < key.length; i++) {
            int draw = random.nextInt(6);
            if (draw < 2) {
                key[i] = (byte) (draw == 0 ? '{' : '}');
            }
        }
        return key;
    }

    private static boolean allHave(int expected, byte[] bytes, String text, int count) {
        boolean same = true;
        for (int i = 0; i < count; i++) {
            same &= KeySlot.of(bytes) == expected && KeySlot.of(text) == expected;
        }
        return same;
    }

    /** Returns CRC-16/XMODEM of the whole text, computed bit by bit, modulo the number of hash slots. */
    private static int slotWithoutTags(String text) {
        int crc = 0;
        for (byte value : text.getBytes(UTF_8)) {
            for (int bit = 7; bit >= 0; bit--) {
                boolean carry = ((crc >> 15) & 1) != ((value >> bit) & 1);
                crc = ((crc << 1) & 0xffff) ^ (carry ? 0x1021 : 0);
            }
        }
        return crc % 16_384;
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
