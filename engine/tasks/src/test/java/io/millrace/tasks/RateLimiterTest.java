// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateLimiterTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void attemptsAreSpacedEvenly() {
        RateLimiter rateLimiter = new RateLimiter(100);

        assertThat(rateLimiter.reserve(1, 0)).isZero();
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(10 * MILLI);
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(20 * MILLI);
        assertThat(rateLimiter.reserve(1, 5 * MILLI)).isEqualTo(25 * MILLI);
    }

    @Test
    void unusedAttemptsCanBeUsedForTenMillisecondsOnly() {
        RateLimiter rateLimiter = new RateLimiter(1_000);
        long immediate = 0;

        while (rateLimiter.reserve(1, 60 * SECOND) <= 0) {
            immediate++;
        }

        assertThat(immediate).isEqualTo(11); // 10 unused attempts of the last 10 ms, and 1 attempt that is due
    }

    @Test
    void attemptsNeverExceedTheRate() {
        RateLimiter rateLimiter = new RateLimiter(500);
        long attempts = 0;
        long now = 0;

        for (; now < SECOND; attempts++) {
            now += Math.max(0, rateLimiter.reserve(1, now));
        }

        assertThat(attempts).isBetween(500L, 507L);
    }

    @Test
    void reservationOfFiveAttemptsDelaysTheNextAttemptByFiveIntervals() {
        RateLimiter rateLimiter = new RateLimiter(1_000);

        assertThat(rateLimiter.reserve(5, 0)).isZero();
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(5 * MILLI);
    }

    /** A sleep of a virtual thread parks the thread, even a sleep of 0, and so costs more than most tasks. */
    @Test
    void tasksThatMayStartNowStartWithoutASleep(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sleeps.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ThreadSleep").withoutThreshold();
            recording.start();
            TaskFlow.of(numbers(500)).name("at-once").consumers(4).rate(1e8).run(task -> {});
            TaskFlow.of(numbers(3)).name("in-turn").consumers(1).rate(50).run(task -> {});
            recording.dump(file);
        }

        assertThat(sleeps(file, "at-once")).isZero();
        assertThat(sleeps(file, "in-turn")).isPositive();
    }

    private static long sleeps(Path file, String flow) throws Exception {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("jdk.ThreadSleep"))
                .map(RecordedEvent::getThread)
                .filter(thread -> thread.getJavaName().startsWith("millrace-" + flow + "-consumer-"))
                .count();
    }
}
