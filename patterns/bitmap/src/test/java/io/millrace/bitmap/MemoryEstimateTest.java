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
        assertThat(single.bytesPerMark()).isEqualTo(100);
        assertThat(loads.encoding()).isEqualTo(Encoding.COMPRESSED);
        assertThat(loads.bytesPerMark()).isGreaterThan(100_000);
        assertThat(loads.bytes()).isLessThan(single.bytes());
        assertThat(ActivityOptions.keptForever().expecting(ids, active).encoding()).isEqualTo(Encoding.SET);
    }

    @Test
    void reasonListsTheMemoryAndTheWritesOfAllEncodings() {
        assertThat(MemoryEstimate.of(10_000_000, 1_000_000).reason())
                .isEqualTo("BITMAP, because 1,000,000 of 10,000,000 ids are active in a span."
                        + " Estimated bytes: bitmap=1,250,120, chunked=1,273,910, compressed=1,254,748, set=48,388,728."
                        + " Bytes per single mark: bitmap=100, chunked=300, compressed=6,573, set=100");
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
        Activity activity = Activity.of(client, "site", ActivityOptions.keptForever().encoding(encoding));
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
