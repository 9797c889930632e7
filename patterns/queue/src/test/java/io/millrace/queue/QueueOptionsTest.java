// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options, codecs, key names and stats, without a server. */
class QueueOptionsTest {

    private final ConsumerOptions options = ConsumerOptions.DEFAULT;

    @Test
    void optionsOutOfRangeAreRejectedWithTheRange() {
        assertThatThrownBy(() -> options.batch(0)).hasMessage("batch=0 is out of range: 1 to 10,000.");
        assertThatThrownBy(() -> options.lease(Duration.ofMillis(99)))
                .hasMessage("lease=99 ms is out of range: 100 ms to 24 h.");
        assertThatThrownBy(() -> options.maxDeliveries(0)).hasMessageContaining(" is out of range: 1 to 1,000,000.");
        assertThatThrownBy(() -> options.retryTimeout(Duration.ofDays(2)))
                .hasMessage("retryTimeout=2 days is out of range: zero to 24 h.");
        assertThatThrownBy(() -> options.consumer("a b"))
                .hasMessageContaining("printable ASCII characters without blanks");
    }

    @ParameterizedTest
    @CsvSource({"feeds, {feeds}:dead", "{a}feeds, {a}feeds:dead", "a{b, {a{b}:dead", "}{a}b, }{a}b:dead"})
    void additionalKeyIsInTheSameHashSlot(String key, String additional) {
        assertThat(KeyNames.additional(key, "dead")).isEqualTo(additional);
        assertThat(slot(additional)).isEqualTo(slot(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a{}b", "a}b", "}{"})
    void keyWithoutAHashTagThatCannotBecomeAHashTagIsRejected(String key) {
        assertThatThrownBy(() -> ListQueue.of(key, Codec.text()))
                .hasMessageContaining("a queue key cannot become the hash tag of additional keys: key=" + key);
        assertThatThrownBy(() -> StreamQueue.of(key, FieldsCodec.TEXT))
                .hasMessageContaining("Use a key with a hash tag");
    }

    /**
     * Returns the hash slot as the server computes it: the CRC16 of the hash tag, or of the whole key without a hash
     * tag.
     */
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
    void hashSlotsOfTheTestHelperMatchTheClusterSpecification() {
        assertThat(slot("123456789")).isEqualTo(0x31c3);
        assertThat(slot("{user1000}.following")).isEqualTo(slot("user1000"));
    }

    @Test
    void inconsistentStatsAreRejected() {
        assertThatThrownBy(() -> new QueueStats(10, 0, 0, 8, 1, 0, 0, 0, 0, 0, List.of(), List.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the stats of a queue are inconsistent: delivered=10");
    }

    @Test
    void reasonOfADeadLetterIsOneLineOfBoundedLength() {
        DeadLetter letter = DeadLetter.of("1-1", 2, "a\n\tb " + "x".repeat(1_000));

        assertThat(letter.reason()).startsWith("a b xxx").hasSize(500);
    }
}
