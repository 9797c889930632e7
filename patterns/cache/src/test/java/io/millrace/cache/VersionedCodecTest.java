// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import org.junit.jupiter.api.Test;

class VersionedCodecTest {

    @Test
    void valueOfTheSameVersionIsDecoded() {
        assertThat(JsonCodecTest.roundTrip(VersionedCodec.of(7, Codec.text()), "seven"))
                .isEqualTo("seven");
    }

    @Test
    void bytesOfAnotherVersionOrWithoutAVersionAreRejected() {
        JsonCodecTest.assertRejects(
                VersionedCodec.of(2, Codec.text()),
                VersionedCodec.of(1, Codec.text()).encode("old"));
        JsonCodecTest.assertRejects(VersionedCodec.of(2, Codec.text()), new byte[] {0});
    }
}
