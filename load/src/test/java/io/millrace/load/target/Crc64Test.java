// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class Crc64Test {

    @Test
    void knownTextHasTheValueOfRedis() {
        byte[] text = "123456789".getBytes(US_ASCII);

        assertThat(Crc64.of(text, 0, text.length)).isEqualTo(0xe9c6d914c4b8d9caL);
        assertThat(Crc64.of(text, 0, 0)).isZero();
    }

    @Test
    void valueIsThatOfTheDefinitionForEachLengthAndOffset() {
        Random random = new Random(64);
        byte[] bytes = new byte[300];
        for (int length = 0; length < 200; length++) {
            random.nextBytes(bytes);
            int offset = random.nextInt(100);

            assertThat(Crc64.of(bytes, offset, length))
                    .as("length=%d", length)
                    .isEqualTo(defined(bytes, offset, length));
        }
    }

    /** Computes the value bit by bit. */
    private static long defined(byte[] bytes, int offset, int length) {
        long crc = 0;
        for (int i = offset; i < offset + length; i++) {
            crc ^= bytes[i] & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ 0x95ac9329ac4bc9b5L;
            }
        }
        return crc;
    }
}
