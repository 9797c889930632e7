// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryTest {

    private static final long MILLI = 1_000_000;

    @Test
    void timeBeforeARetryDoublesUpToTheLongestWait() {
        Retry retry = Retry.of(10)
                .backoff(Duration.ofMillis(100), Duration.ofMillis(700))
                .jitter(0);

        assertThat(IntStream.rangeClosed(1, 5).mapToLong(attempt -> retry.waitNanos(attempt, new SplittableRandom(1))))
                .containsExactly(100 * MILLI, 200 * MILLI, 400 * MILLI, 700 * MILLI, 700 * MILLI);
    }

    @Test
    void jitterShortensAWaitByAtMostTheConfiguredFraction() {
        Retry retry = Retry.of(10)
                .backoff(Duration.ofMillis(100), Duration.ofMillis(100))
                .jitter(0.5);
        SplittableRandom random = new SplittableRandom(7);

        List<Long> waits = IntStream.range(0, 1_000)
                .mapToLong(i -> retry.waitNanos(1, random))
                .boxed()
                .toList();

        assertThat(waits).allMatch(wait -> wait >= 50 * MILLI && wait <= 100 * MILLI);
        assertThat(waits).anyMatch(wait -> wait < 60 * MILLI).anyMatch(wait -> wait > 90 * MILLI);
    }

    @Test
    void timeBeforeARetryNeverOverflows() {
        Retry retry = Retry.of(1_000_000)
                .backoff(Duration.ofHours(1), Duration.ofHours(24))
                .jitter(0);

        assertThat(retry.waitNanos(999_999, new SplittableRandom(1)))
                .isEqualTo(Duration.ofHours(24).toNanos());
    }

    @Test
    void onlyChosenFailuresAreRetried() {
        Retry retry = Retry.of(3).on(IOException.class);

        assertThat(retry.isRetried(1, new FileNotFoundException())).isTrue();
        assertThat(retry.isRetried(2, new IOException())).isTrue();
        assertThat(retry.isRetried(3, new IOException())).isFalse();
        assertThat(retry.isRetried(1, new IllegalStateException())).isFalse();
    }

    @Test
    void interruptsAndErrorsAreNeverRetried() {
        Retry retry = Retry.of(3);

        assertThat(retry.isRetried(1, new InterruptedException())).isFalse();
        assertThat(retry.isRetried(1, new StackOverflowError())).isFalse();
    }

    @Test
    void outOfRangeValuesAreRejected() {
        assertThatThrownBy(() -> Retry.of(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempts=0 is out of range: 1 to 1,000,000.");
        assertThatThrownBy(() -> Retry.of(2).backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessage("longestWait=1 s is out of range: 2 s to 24 h.");
        assertThatThrownBy(() -> Retry.of(2).jitter(Double.NaN)).hasMessage("jitter=NaN is out of range: 0 to 1.");
    }
}
