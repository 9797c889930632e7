// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options, key names and stats, without a server. */
class WorkerOptionsTest {

    private final WorkerOptions options = WorkerOptions.DEFAULT;

    @Test
    void optionsOutOfRangeAreRejectedWithTheRange() {
        assertThatThrownBy(() -> options.withConcurrency(0)).hasMessage("concurrency=0 is out of range: 1 to 100,000.");
        assertThatThrownBy(() -> options.withLease(Duration.ofMillis(99)))
                .hasMessage("lease=99 ms is out of range: 100 ms to 24 h.");
        assertThatThrownBy(() -> options.withMaxAttempts(0)).hasMessageContaining(" is out of range: 1 to 1,000,000.");
        assertThatThrownBy(() -> options.withMaxDeaths(0)).hasMessage("maxDeaths=0 is out of range: 1 to 1,000,000.");
        assertThatThrownBy(() -> options.withTimeout(Duration.ZERO))
                .hasMessage("timeout=zero is out of range: 1 ms to 30 days.");
        assertThatThrownBy(() -> RetryBackoff.DEFAULT.withJitter(1.5)).hasMessageContaining("out of range: 0 to 1.");
        assertThatThrownBy(() -> RetryBackoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessage("longest=1 s is out of range: 2 s to 30 days.");
        assertThatThrownBy(() -> JobOptions.after(Duration.ofMillis(-1))).hasMessageContaining("out of range: zero to");
        assertThatThrownBy(() -> JobOptions.at(Instant.MAX)).hasMessageContaining("out of range");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a#b", "ä", "\n"})
    void invalidWorkerNameIsRejected(String name) {
        assertThatThrownBy(() -> options.withName(name))
                .hasMessageStartingWith("the worker name is not valid: name=" + name)
                .hasMessageContaining("printable ASCII characters without blanks and without #");
    }

    @Test
    void generatedWorkerNamesAreUniqueAndValid() {
        String one = WorkerName.of(options);
        String other = WorkerName.of(options);

        assertThat(one)
                .isNotEqualTo(other)
                .contains("-" + ProcessHandle.current().pid() + "-");
        assertThat(options.withName(one).name()).isEqualTo(one);
    }

    @Test
    void delayDoublesUpToTheLongestDelay() {
        RetryBackoff backoff = RetryBackoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10))
                .withJitter(0);
        Random random = new Random(1);

        assertThat(backoff.delay(1, random)).isEqualTo(Duration.ofSeconds(1));
        assertThat(backoff.delay(2, random)).isEqualTo(Duration.ofSeconds(2));
        assertThat(backoff.delay(4, random)).isEqualTo(Duration.ofSeconds(8));
        assertThat(backoff.delay(5, random)).isEqualTo(Duration.ofSeconds(10));
        assertThat(backoff.delay(1_000_000, random)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void defaultsRepeatAFailedJobForMoreThanFourHours() {
        RandomGenerator largest = () -> -1L; // nextDouble() is almost 1, so the delays are the shortest
        RandomGenerator smallest = () -> 0L;

        assertThat(lastAttemptAfter(largest)).isBetween(Duration.ofSeconds(14_647), Duration.ofSeconds(14_649));
        assertThat(lastAttemptAfter(smallest)).isEqualTo(Duration.ofSeconds(29_295));
    }

    /** Returns the sum of the default delays before the last attempt. */
    private static Duration lastAttemptAfter(RandomGenerator random) {
        Duration sum = Duration.ZERO;
        for (int failure = 1; failure < WorkerOptions.MAX_ATTEMPTS.defaultValue(); failure++) {
            sum = sum.plus(RetryBackoff.DEFAULT.delay(failure, random));
        }
        return sum;
    }

    @Test
    void limitOfARenewalIsASixthOfTheLease() {
        assertThat(RenewalCalls.limit(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(5));
        assertThat(RenewalCalls.limit(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(50));
        assertThat(RenewalCalls.limit(Duration.ofHours(24))).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void jitterShortensTheDelayByAtMostItsPart() {
        RetryBackoff backoff = RetryBackoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10));
        Random random = new Random(1);

        for (int i = 0; i < 1_000; i++) {
            assertThat(backoff.delay(1, random)).isBetween(Duration.ofMillis(499), Duration.ofMillis(1_000));
        }
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
        assertThatThrownBy(() -> new JobKeys(key))
                .hasMessageContaining("a queue key cannot become the hash tag of additional keys: key=" + key)
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
        assertThatThrownBy(() -> new WorkerStats(WorkerState.RUNNING, 10, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the stats of a worker are inconsistent: taken=10");
    }

    @Test
    void reasonOfADeadJobIsOneLineOfBoundedLength() {
        String reason = DeadJob.shortened("a\n\tb " + "x".repeat(1_000));

        assertThat(reason).startsWith("a b xxx").hasSize(500);
    }

    @Test
    void waitAfterAFailureIsAtMostOneSecond() {
        for (int failures = 0; failures < 100; failures++) {
            assertThat(RetryWait.nanos(failures)).isBetween(5_000_000L, 1_000_000_000L);
        }
    }
}
