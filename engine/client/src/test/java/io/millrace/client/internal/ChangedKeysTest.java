// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Invalidation;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.Invalidation.Keys;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The sum of invalidations is never too little, and takes no more room than it may. */
class ChangedKeysTest {

    @Test
    void everyKeyIsInTheSumOrTheSumIsEverything() {
        long seed = System.nanoTime();
        System.out.println("ChangedKeysTest: seed=" + seed);
        Random random = new Random(seed);
        ChangedKeys sum = new ChangedKeys(20);
        Set<String> told = new HashSet<>();
        int overflows = 0;
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(12) > 0) {
                List<String> keys = List.of("k" + random.nextInt(40), "k" + random.nextInt(40));
                told.addAll(keys);
                sum.add(new Keys(keys));
            } else {
                int size = sum.size();
                Invalidation taken = sum.poll();

                boolean everything = taken instanceof Everything;
                overflows += everything ? 1 : 0;
                assertThat(everything).as("seed=%d, step=%d", seed, step).isEqualTo(told.size() > 20);
                if (taken instanceof Keys keys) {
                    assertThat(keys.keys()).hasSize(size).containsExactlyInAnyOrderElementsOf(told);
                }
                assertThat(taken == null).isEqualTo(told.isEmpty());
                assertThat(sum.size()).isZero();
                told.clear();
            }
        }
        assertThat(overflows).as("seed=%d", seed).isPositive();
    }

    @Test
    void nothingIsLeftOfKeysBesideEverything() {
        ChangedKeys sum = new ChangedKeys(20);
        sum.add(new Keys(List.of("a")));

        sum.add(new Everything(Cause.LOST));
        sum.add(new Keys(List.of("b")));
        sum.add(new Everything(Cause.ESTABLISHED));

        assertThat(sum.size()).isEqualTo(1);
        assertThat(sum.poll()).isEqualTo(new Everything(Cause.ESTABLISHED));
        assertThat(sum.poll()).isNull();
    }

    @Test
    void aLongKeyTakesTheRoomOfSeveral() {
        ChangedKeys sum = new ChangedKeys(10);
        String eight = "x".repeat(7 * ChangedKeys.USUAL_LENGTH);

        sum.add(new Keys(List.of(eight, "a", "b")));
        int fits = sum.size();
        sum.add(new Keys(List.of("c")));

        assertThat(fits).isEqualTo(3);
        assertThat(sum.poll()).isEqualTo(new Everything(Cause.OVERFLOWED));
    }
}
