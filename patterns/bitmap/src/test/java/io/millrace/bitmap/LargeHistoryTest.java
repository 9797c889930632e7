// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many spans, many threads, and widely spread ids. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LargeHistoryTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final long SEED = 20_261_122;
    private static final SpanExpiry FOREVER = new SpanExpiry(Duration.ZERO, ZoneOffset.UTC);
    private static final Span DAY = Span.day(LocalDate.of(2026, 11, 22));
    private static final List<Span> MONTHS = Span.month(YearMonth.of(2026, 1)).consecutive(12);

    /** A year has 8,760 hours. */
    @ParameterizedTest
    @EnumSource
    void resultsForAYearOfHourlySpansEqualTheResultsOfPlainSets(Encoding encoding) {
        Activity active = Activity.of(
                REDIS.client(),
                "site",
                ActivityOptions.keptForever()
                        .granularity(Granularity.HOUR)
                        .encoding(encoding)
                        .threads(2));
        Model model = new Model(Granularity.HOUR);
        SplittableRandom random = new SplittableRandom(SEED);
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            LocalDateTime time = LocalDateTime.of(2026, 1, 1, 0, 0).plusHours(random.nextInt(365 * 24));
            Mark mark = new Mark.AtTime(random.nextInt(4) * 300_000L + random.nextInt(100), time);
            marks.add(mark);
            model.mark("login", mark);
        }
        active.mark("login", marks);
        SetExpression year = SetExpression.active("login", MONTHS);

        assertThat(active.count(year)).isEqualTo(model.of(year).size());
        assertThat(active.members(year).boxed().toList()).isEqualTo(new ArrayList<>(model.of(year)));
        assertThat(active.counts("login", MONTHS).values())
                .containsExactlyElementsOf(MONTHS.stream()
                        .map(month -> (long)
                                model.of(SetExpression.active("login", month)).size())
                        .toList());
        assertThat(active.retention("login", MONTHS)).isEqualTo(model.retention("login", MONTHS, false));
        assertThat(active.cohorts("login", MONTHS)).isEqualTo(model.retention("login", MONTHS, true));
        assertThat(active.contains("login", MONTHS.getFirst(), 4_000_000)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void allIdsOfAParallelStreamAreMarked(Encoding encoding) {
        Activity active = Activity.of(
                REDIS.client(), "site", ActivityOptions.keptForever().encoding(encoding));

        LoadCounts loadCounts = active.load(
                "login", DAY, LongStream.range(0, 500_000).parallel().map(i -> i * 7));

        assertThat(loadCounts).isEqualTo(new LoadCounts(500_000, 500_000, 0));
        assertThat(active.count(SetExpression.active("login", DAY))).isEqualTo(500_000);
    }

    @Test
    void piecesOfAllThreadsStayWithinTheMemoryLimit() {
        for (int threads : new int[] {1, 2, 16, 256}) {
            for (int bitmaps : new int[] {1, 30, 365, 8_760, 100_000}) {
                FetchPlan fetchPlan = FetchPlan.of(bitmaps, threads, BlockSize.BITMAP);

                assertThat(16L * fetchPlan.words() * fetchPlan.threads() * bitmaps)
                        .as("%d bitmaps, %s", bitmaps, fetchPlan)
                        .isLessThanOrEqualTo(FetchPlan.MAX_BYTES);
                assertThat(fetchPlan.words() * fetchPlan.perBlock()).isEqualTo(Blocks.WORDS);
                assertThat(fetchPlan.threads()).isBetween(1, threads);
            }
        }
        assertThat(FetchPlan.of(30, 2, BlockSize.BITMAP)).isEqualTo(new FetchPlan(Blocks.WORDS, 1, 2));
        assertThat(FetchPlan.of(30, 2, BlockSize.CHUNK)).isEqualTo(new FetchPlan(2_048, 1, 2));
    }

    @Test
    void blockBufferReturnsAllMarksBeforeAndAfterItsConversionToBits() {
        SplittableRandom random = new SplittableRandom(SEED);
        BlockBuffer marks = new BlockBuffer(BlockSize.BITMAP);
        Set<Integer> known = new HashSet<>();
        for (int i = 0; i < 40_000; i++) {
            int offset = random.nextInt(1 << 20);
            known.add(offset);
            long before = marks.bytes();
            assertThat(marks.add(offset)).isEqualTo(marks.bytes() != before);
            if (i == 2_999) {
                assertThat(marks.hasAtMost(3_000)).isTrue();
                assertThat(marks.ids(3))
                        .containsExactly(new TreeSet<>(known)
                                .stream().mapToLong(at -> (3L << 20) + at).toArray());
                assertThat(marks.bytes()).isLessThan(40_000);
            }
        }

        assertThat(marks.hasAtMost(1 << 20)).isFalse();
        assertThat(Words.count(marks.bits())).isEqualTo(known.size());
        assertThat(marks.bytes()).isLessThan(Blocks.BYTES + 200);
        for (int at : known) {
            assertThat(marks.bits()[at >> 6] << (at & 63)).isNegative();
        }
    }

    /** In a range this wide a single id takes two hundred bytes in a compressed set. */
    @ParameterizedTest
    @EnumSource(names = {"CHUNKED", "COMPRESSED"})
    void bufferReportsTheMemoryOfWidelySpreadMarks(Encoding encoding) {
        RedisClient client = REDIS.client();
        ActivityStore activityStore = encoding == Encoding.CHUNKED
                ? new BitmapStore(
                        client,
                        "{x}:",
                        ActivityOptions.keptForever().encoding(encoding),
                        () -> FOREVER,
                        () -> "",
                        new SparseChunks("x", System::nanoTime))
                : new CompressedStore(client, "{x}:", ActivityOptions.keptForever(), () -> FOREVER, () -> 1);
        ActivityStore.LoadBuffer gathering = activityStore.loadBuffer();
        SplittableRandom random = new SplittableRandom(SEED);
        EventSpan eventSpan = new EventSpan("login", DAY);
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        long before = runtime.totalMemory() - runtime.freeMemory();

        IntStream.range(0, 200_000).forEach(i -> gathering.add(eventSpan, random.nextLong(Long.MAX_VALUE)));

        System.gc();
        long taken = runtime.totalMemory() - runtime.freeMemory() - before;
        assertThat(taken)
                .as("reported bytes: %d", gathering.bytes())
                .isLessThan(gathering.bytes() * 5 / 4 + (2L << 20));
        assertThat(gathering.bytes()).isGreaterThan(200_000L * 8);
    }

    @Test
    void bufferedMarksOfAnUnorderedHistoryTakeLittleMemory() {
        ActivityOptions options =
                ActivityOptions.keptForever().encoding(Encoding.BITMAP).historyBytes(8 << 20);
        Activity active = Activity.of(REDIS.client(), "site", options);
        ActivityStore.LoadBuffer gathering = new BitmapStore(
                        REDIS.client(),
                        "{x}:",
                        options,
                        () -> FOREVER,
                        () -> "",
                        new SparseChunks("x", System::nanoTime))
                .loadBuffer();
        SplittableRandom random = new SplittableRandom(SEED);
        List<Mark> history = IntStream.range(0, 100_000)
                .mapToObj(i -> Mark.on(
                        random.nextInt(20_000_000), DAY.start().toLocalDate().minusDays(random.nextInt(30))))
                .toList();

        history.forEach(mark ->
                gathering.add(new EventSpan("login", MarkTimes.of(options).spanOf(mark)), mark.id()));
        LoadCounts loadCounts = active.load("login", history.iterator());

        assertThat(gathering.bytes()).as("memory of six hundred blocks").isLessThan(2 << 20);
        assertThat(loadCounts)
                .isEqualTo(new LoadCounts(100_000, history.stream().distinct().count(), 0));
    }
}
