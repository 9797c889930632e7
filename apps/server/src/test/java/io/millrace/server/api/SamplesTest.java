// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.loads.EventStreams.Event;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SamplesTest {

    private final AtomicInteger taken = new AtomicInteger();
    private final Samples samples = new Samples(() -> {
        int number = taken.incrementAndGet();
        if (number == 2) {
            throw new OutOfMemoryError("thrown by the test");
        }
        return Integer.toString(number);
    });

    private Event after(long version) {
        return Objects.requireNonNull(samples.after(version));
    }

    private static String text(Event event) {
        return new String(event.bytes(), StandardCharsets.UTF_8);
    }

    /** The history of ten minutes takes half a megabyte, and there may be 200 streams. */
    @Test
    void allStreamsShareTheBytesOfAnEvent() {
        samples.take();

        assertThat(after(-1)).isSameAs(samples.after(-1));
        assertThat(after(0)).isSameAs(samples.after(0));
        assertThat(samples.after(1)).isNull();
        samples.destroy();
    }

    @Test
    void failureDoesNotEndTheSampling() {
        samples.take();
        samples.take();
        samples.take();

        assertThat(text(after(-1))).isEqualTo("event: history\nid: 2\ndata: [1,3]\n\n");
        assertThat(text(after(1))).isEqualTo("event: sample\nid: 2\ndata: 3\n\n");
        samples.destroy();
    }

    @Test
    void historyHasTheSamplesOfTenMinutes() {
        for (int i = 0; i <= Samples.KEPT + 1; i++) {
            samples.take();
        }

        String history = text(after(-1));

        assertThat(history).startsWith("event: history\nid: 601\ndata: [3,4,").endsWith(",601,602]\n\n");
        samples.destroy();
    }
}
