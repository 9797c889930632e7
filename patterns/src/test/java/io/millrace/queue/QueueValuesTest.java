// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options, codecs, names and accounts, without a server. */
class QueueValuesTest {

    private final ConsumerOptions options = ConsumerOptions.DEFAULT;

    @Test
    void optionsOutOfRangeAreRefusedWithTheRange() {
        assertThatThrownBy(() -> options.batch(0)).hasMessage("batch is out of range: 0. It is from 1 to 10000.");
        assertThatThrownBy(() -> options.lease(Duration.ofMillis(99)))
                .hasMessage("lease is out of range: PT0.099S. It is from PT0.1S to PT24H.");
        assertThatThrownBy(() -> options.maxDeliveries(0)).hasMessageContaining("It is from 1 to 1000000.");
        assertThatThrownBy(() -> options.patience(Duration.ofDays(2)))
                .hasMessageContaining("It is from PT0S to PT24H.");
        assertThatThrownBy(() -> options.consumer("a b")).hasMessageContaining("printable ASCII without blanks");
    }

    @ParameterizedTest
    @CsvSource({"feeds, {feeds}:dead", "{a}feeds, {a}feeds:dead", "a{b, {a{b}:dead", "}{a}b, }{a}b:dead"})
    void keyBesideAnotherIsInItsHashSlot(String key, String beside) {
        assertThat(KeyNames.beside(key, "dead")).isEqualTo(beside);
        assertThat(slot(beside)).isEqualTo(slot(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a{}b", "a}b", "}{"})
    void keyThatHasNoTagAndCannotBeOneIsRefused(String key) {
        assertThatThrownBy(() -> ListQueue.of(key, TaskCodec.TEXT))
                .hasMessageContaining("no key can be named after this one in its hash slot: key=" + key);
        assertThatThrownBy(() -> StreamQueue.of(key, FieldsCodec.TEXT)).hasMessageContaining("Give it a hash tag");
    }

    /** As the server has it: CRC16 of what is between the first brace and the next closing one, or of all if that is nothing. */
    private static int slot(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        String hashed = open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte next : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (next & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
            }
        }
        return crc & 0x3fff;
    }

    @Test
    void slotIsThatOfTheServersOwnExample() {
        assertThat(slot("123456789")).isEqualTo(0x31c3);
        assertThat(slot("{user1000}.following")).isEqualTo(slot("user1000"));
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        assertThatThrownBy(() -> TaskCodec.TEXT.decode().apply(new byte[] {(byte) 0xff}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=1");
    }

    @Test
    void textThatIsNoneIsRefused() {
        assertThatThrownBy(() -> TaskCodec.TEXT.encode().apply("half a pair: \ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("characters=14");
        assertThat(TaskCodec.TEXT.encode().apply("\ud83d\ude00")).hasSize(4);
    }

    @Test
    void accountThatDoesNotAddUpIsRefused() {
        assertThatThrownBy(() -> new QueueAccount(10, 0, 0, 8, 1, 0, 0, 0, 0, 0, List.of(), List.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not add up: delivered=10");
    }

    @Test
    void reasonOfADeadLetterIsOneLineOfBoundedLength() {
        DeadLetter letter = DeadLetter.of("1-1", 2, "a\n\tb " + "x".repeat(1_000));

        assertThat(letter.reason()).startsWith("a b xxx").hasSize(500);
    }
}
