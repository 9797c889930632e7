// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.LocalDate;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The recommended encoding and its memory. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MemoryEstimateTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final Span DAY = Span.day(LocalDate.of(2026, 11, 22));

    @Test
    void recommendedEncodingDependsOnTheShareOfActiveIds() {
        assertThat(MemoryEstimate.of(10_000_000, 1_000_000).encoding()).isEqualTo(Encoding.BITMAP);
        assertThat(MemoryEstimate.of(10_000_000, 1_000).encoding()).isEqualTo(Encoding.COMPRESSED);
        assertThat(MemoryEstimate.of(1L << 32, 1L << 28).encoding()).isEqualTo(Encoding.BITMAP);
        assertThat(MemoryEstimate.of(1L << 34, 1L << 32).encoding()).isEqualTo(Encoding.CHUNKED);
        assertThat(MemoryEstimate.of(1L << 60, 500).encoding()).isEqualTo(Encoding.SET);
    }

    @Test
    void compressedSetIsRecommendedForSingleMarksOnlyIfASingleMarkWritesFewBytes() {
        long ids = 1L << 60;
        long active = 1_000_000;

        MemoryEstimate single = MemoryEstimate.of(ids, active);
        MemoryEstimate loads = MemoryEstimate.forLoads(ids, active);

        assertThat(single.encoding()).isEqualTo(Encoding.SET);
        assertThat(single.bytesPerMark()).isEqualTo(300);
        assertThat(loads.encoding()).isEqualTo(Encoding.COMPRESSED);
        assertThat(loads.bytesPerMark()).isGreaterThan(100_000);
        assertThat(loads.bytes()).isLessThan(single.bytes());
        assertThat(ActivityOptions.keptForever().expecting(ids, active).encoding())
                .isEqualTo(Encoding.SET);
    }

    /** After 400 marks one process reads and writes the set, and each other process reads the set. */
    @Test
    void marksOfACompressedSetCostMoreWithMoreProcesses() {
        assertThat(MemoryEstimate.bytesPerMark(Encoding.COMPRESSED, 10_000_000, 1_000_000, 1))
                .isEqualTo(300 + 2 * 1_254_748 / 400);
        assertThat(MemoryEstimate.bytesPerMark(Encoding.COMPRESSED, 10_000_000, 1_000_000, 16))
                .isEqualTo(300 + 17L * 1_254_748 / 400);
        assertThat(MemoryEstimate.of(1L << 40, 20_000, 1).encoding()).isEqualTo(Encoding.COMPRESSED);
        assertThat(MemoryEstimate.of(1L << 40, 20_000, 16).encoding()).isEqualTo(Encoding.SET);
        assertThat(MemoryEstimate.of(1L << 40, 20_000, 16).reason())
                .contains("Bytes per single mark of 16 processes: ");
    }

    @Test
    void setOfMoreThanTenMillionMembersIsNotRecommended() {
        MemoryEstimate largest = MemoryEstimate.of(1L << 60, 10_000_000);
        MemoryEstimate larger = MemoryEstimate.of(1L << 60, 10_000_001);

        assertThat(largest.encoding()).isEqualTo(Encoding.SET);
        assertThat(largest.reason()).endsWith(". A query of several spans loads all ids of each span into the client");
        assertThat(larger.encoding()).isEqualTo(Encoding.CHUNKED);
        assertThat(larger.reason())
                .endsWith(". A Redis set would take less memory, but should have at most 10,000,000 members."
                        + " Map the ids to numbers that are given out in order");
    }

    @Test
    void randomIdTakesAboutEightKilobytesInChunks() {
        long bytes = MemoryEstimate.bytes(Encoding.CHUNKED, Long.MAX_VALUE, 1_000_000)
                .orElseThrow();

        assertThat(bytes / 1_000_000).isBetween(8_000L, 8_500L);
        assertThat(MemoryEstimate.of(Long.MAX_VALUE, 1_000_000).encoding()).isEqualTo(Encoding.SET);
    }

    @Test
    void reasonListsTheMemoryAndTheWritesOfAllEncodings() {
        assertThat(MemoryEstimate.of(10_000_000, 1_000_000).reason())
                .isEqualTo("BITMAP, because 1,000,000 of 10,000,000 ids are active in a span."
                        + " Estimated bytes: bitmap=1,250,120, chunked=1,273,910, compressed=1,254,748, set=48,388,728."
                        + " Bytes per single mark of 4 processes:"
                        + " bitmap=300, chunked=300, compressed=15,984, set=300");
        assertThat(MemoryEstimate.of(1L << 40, 1_000).reason()).contains("bitmap=impossible");
    }

    static Stream<Arguments> spreads() {
        return Stream.of(
                Arguments.of(Encoding.BITMAP, 10_000_000L, 400_000),
                Arguments.of(Encoding.CHUNKED, 1L << 27, 500),
                Arguments.of(Encoding.CHUNKED, 1L << 24, 400_000),
                Arguments.of(Encoding.COMPRESSED, 10_000_000L, 100_000),
                Arguments.of(Encoding.COMPRESSED, 1L << 36, 1_000),
                Arguments.of(Encoding.SET, 1L << 40, 400),
                Arguments.of(Encoding.SET, 1L << 40, 100_000),
                Arguments.of(Encoding.SET, 10_000_000L, 50_000));
    }

    @ParameterizedTest
    @MethodSource("spreads")
    void estimateDiffersByAtMostAQuarterFromTheMeasuredMemory(Encoding encoding, long ids, int active) {
        RedisClient client = REDIS.client();
        Activity activity =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
        SplittableRandom random = new SplittableRandom(ids);
        activity.load("login", DAY, random.longs(active, 0, ids));

        long taken = activity.memoryBytes("login", DAY);

        assertThat(MemoryEstimate.bytes(encoding, ids, active).orElseThrow())
                .as("measured bytes: %d", taken)
                .isCloseTo(taken, Percentage.withPercentage(25));
    }

    @Test
    void emptySpanTakesAlmostNoMemory() {
        assertThat(MemoryEstimate.bytes(Encoding.CHUNKED, 1L << 40, 0).orElseThrow())
                .isCloseTo(0, within(200L));
        assertThat(MemoryEstimate.bytes(Encoding.COMPRESSED, 1L << 40, 0).orElseThrow())
                .isCloseTo(0, within(200L));
        assertThat(MemoryEstimate.bytes(Encoding.SET, 1L << 40, 0).orElseThrow())
                .isCloseTo(0, within(200L));
        assertThat(MemoryEstimate.bytes(Encoding.BITMAP, 1L << 33, 0)).isEmpty();
    }
}
