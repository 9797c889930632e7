// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** The memory of the compressed sets that a client keeps. */
class RecentlyUsedValuesTest {

    private static CompressedValue value(long stamp, int ids) {
        Roaring64NavigableMap set = CompressedValue.emptySet();
        for (int id = 0; id < ids; id++) {
            set.addLong(3L * id);
        }
        return new CompressedValue(CompressedValue.stamp(stamp), set);
    }

    @Test
    void leastRecentlyUsedSetsAreRemovedAboveTheLimitInBytes() {
        CompressedValue thousand = value(1, 1_000);
        RecentlyUsedValues values = new RecentlyUsedValues(2 * thousand.set().getLongSizeInBytes());
        values.put("first", thousand);
        values.put("second", value(2, 1_000));
        assertThat(values.get("first").stamp()).isEqualTo(CompressedValue.stamp(1));

        values.put("third", value(3, 1_000));

        assertThat(values.get("second")).isSameAs(CompressedValue.MISSING);
        assertThat(values.get("first").set().getLongCardinality()).isEqualTo(1_000);
        assertThat(values.get("third").set().getLongCardinality()).isEqualTo(1_000);
    }

    @Test
    void replacedSetCountsOnce() {
        CompressedValue thousand = value(1, 1_000);
        RecentlyUsedValues values = new RecentlyUsedValues(2 * thousand.set().getLongSizeInBytes());
        values.put("first", thousand);

        for (int stamp = 2; stamp < 20; stamp++) {
            values.put("second", value(stamp, 1_000));
        }

        assertThat(values.get("first")).isSameAs(thousand);
    }

    @Test
    void setThatAloneExceedsTheLimitIsKept() {
        RecentlyUsedValues values = new RecentlyUsedValues(1);

        values.put("first", value(1, 1_000));
        values.put("second", value(2, 1_000));

        assertThat(values.get("first")).isSameAs(CompressedValue.MISSING);
        assertThat(values.get("second").set().getLongCardinality()).isEqualTo(1_000);
    }

    @Test
    void failedFetchIsRepeatedByTheNextCaller() {
        RecentlyUsedValues values = new RecentlyUsedValues(RecentlyUsedValues.MAX_BYTES);
        byte[] missing = CompressedValue.MISSING.stamp();
        AtomicInteger fetches = new AtomicInteger();

        assertThatThrownBy(() -> values.fetched("key", missing, () -> {
                    throw new BitmapException("no reply");
                }))
                .hasMessage("no reply");
        CompressedValue fetched = values.fetched("key", missing, () -> {
            fetches.incrementAndGet();
            return value(7, 10);
        });
        CompressedValue known = values.fetched("key", missing, () -> {
            fetches.incrementAndGet();
            return value(8, 10);
        });

        assertThat(fetched.stamp()).isEqualTo(CompressedValue.stamp(7));
        assertThat(known).isSameAs(fetched);
        assertThat(fetches).hasValue(1);
    }
}
