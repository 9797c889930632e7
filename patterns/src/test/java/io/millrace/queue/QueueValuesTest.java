// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    @CsvSource({"feeds, {feeds}:dead", "{a}feeds, {a}feeds:dead", "a{}b, {a{}b}:dead", "a{b, {a{b}:dead"})
    void keyBesideAnotherIsInItsHashSlot(String key, String beside) {
        assertThat(KeyNames.beside(key, "dead")).isEqualTo(beside);
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        assertThatThrownBy(() -> TaskCodec.TEXT.decode().apply(new byte[] {(byte) 0xff}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=1");
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
