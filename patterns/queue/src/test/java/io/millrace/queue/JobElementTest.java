// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a job. */
class JobElementTest {

    @Test
    void newJobHasAHeaderAndItsPayload() {
        byte[] element = JobElement.encode("a-1", 1_700_000_000_000L, "x\ny".getBytes(UTF_8));

        assertThat(new String(element, UTF_8)).isEqualTo("mr1 a-1 0 0 1700000000000\nx\ny");
        JobElement read = JobElement.read(element, "other", 0);
        assertThat(read.id()).isEqualTo("a-1");
        assertThat(read.attempt()).isEqualTo(1);
        assertThat(read.deaths()).isZero();
        assertThat(read.pushedMillis()).isEqualTo(1_700_000_000_000L);
        assertThat(read.decode(Codec.text())).isEqualTo("x\ny");
    }

    @Test
    void failuresAndDeathsAreAttempts() {
        JobElement read = JobElement.read("mr1 a-1 2 1 5\n".getBytes(UTF_8), "other", 0);

        assertThat(read.attempt()).isEqualTo(4);
        assertThat(read.failures()).isEqualTo(2);
        assertThat(read.earlierAttempts()).isEqualTo(3);
        assertThat(read.hasHeader()).isTrue();
        assertThat(read.deaths()).isEqualTo(1);
        assertThat(read.payload()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mr1",
                "mr1 ",
                "plain text",
                "mr1 a 0 0 5",
                "mr1 a 0 5\nx",
                "mr1 a b 0 0 5\nx",
                "mr1 a -1 0 5\nx",
                "mr2 a 0 0 5\nx"
            })
    void elementWithoutAHeaderIsAPayload(String text) {
        JobElement read = JobElement.read(text.getBytes(UTF_8), "given", 7);

        assertThat(read.id()).isEqualTo("given");
        assertThat(read.hasHeader()).isFalse();
        assertThat(read.attempt()).isEqualTo(1);
        assertThat(read.pushedMillis()).isEqualTo(7);
        assertThat(read.decode(Codec.text())).isEqualTo(text);
    }
}
