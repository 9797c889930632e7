// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.LocalDate;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program whose ids are too far from each other for chunks gets a warning. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SparseChunksTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @RegisterExtension
    static final CapturedLog LOG = new CapturedLog();

    private static final LocalDate DAY = LocalDate.of(2026, 11, 22);
    private static final int CHUNKS = SparseChunks.MANY + 200;

    private final AtomicLong clock = new AtomicLong();

    /** One id in each of {@code chunks} chunks, at the begin of the chunk, so that the chunk is short. */
    private static LongStream spread(int chunks) {
        return LongStream.range(0, chunks).map(chunk -> (chunk << 17) + 3);
    }

    enum Way {
        SINGLE,
        BATCH,
        LOAD;

        void mark(Activity active, LocalDate day, LongStream ids) {
            switch (this) {
                case SINGLE -> ids.forEach(id -> active.mark("login", id, day));
                case BATCH ->
                    active.mark("login", ids.mapToObj(id -> Mark.on(id, day)).toList());
                case LOAD -> active.load("login", Span.day(day), ids);
            }
        }
    }

    private Activity activity(Encoding encoding) {
        return Activity.of(REDIS.client(), "site", ActivityOptions.keptForever().encoding(encoding), clock::get);
    }

    @ParameterizedTest
    @EnumSource
    void spanWithAChunkForEachIdHasOneWarning(Way way) {
        Activity active = activity(Encoding.CHUNKED);

        way.mark(active, DAY, spread(CHUNKS));
        clock.addAndGet(Duration.ofHours(2).toNanos());
        way.mark(active, DAY, spread(CHUNKS).map(id -> id + 1));

        assertThat(LOG.lines())
                .singleElement()
                .asString()
                .matches("WARNING a span has many chunks of about 8 KB with hardly more than one id each: name=site,"
                        + " event=login, span=2026-11-22, chunks=about 10,?0\\d\\d\\. For random ids, use the encoding SET"
                        + " \\(ActivityOptions\\.encoding\\), or declare the ids with ActivityOptions\\.expecting\\.");
    }

    @Test
    void warningsOfSeveralSpansAreAnHourApart() {
        Activity active = activity(Encoding.CHUNKED);

        Way.LOAD.mark(active, DAY, spread(CHUNKS));
        Way.LOAD.mark(active, DAY.plusDays(1), spread(CHUNKS));
        clock.addAndGet(Duration.ofHours(1).toNanos());
        Way.LOAD.mark(active, DAY.plusDays(2), spread(CHUNKS));

        assertThat(LOG.lines())
                .extracting(line -> line.replaceAll(".*span=([-0-9]+).*", "$1"))
                .containsExactly("2026-11-22", "2026-11-24");
    }

    @Test
    void fewerChunksAndDenserIdsHaveNoWarning() {
        Activity active = activity(Encoding.CHUNKED);

        Way.LOAD.mark(active, DAY, spread(SparseChunks.MANY - 200));
        Way.LOAD.mark(active, DAY.plusDays(1), spread(CHUNKS).flatMap(id -> LongStream.range(id, id + 3)));

        assertThat(LOG.lines()).isEmpty();
    }

    @Test
    void repeatedMarksOfAnIdCountOnce() {
        Activity active = activity(Encoding.CHUNKED);

        Way.BATCH.mark(active, DAY, spread(5_000));
        Way.BATCH.mark(active, DAY, spread(5_000));
        Way.BATCH.mark(active, DAY, spread(5_000));
        Way.BATCH.mark(active, DAY, spread(CHUNKS));

        assertThat(LOG.lines()).hasSize(1);
    }

    @Test
    void randomIdsInARedisSetHaveNoWarning() {
        Way.LOAD.mark(activity(Encoding.SET), DAY, spread(CHUNKS));

        assertThat(LOG.lines()).isEmpty();
    }
}
