// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Invalidation;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.ChangedKeys;
import io.millrace.client.Invalidation.Everything;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tests how pending invalidations are merged. The merged invalidation contains every changed key. A merged invalidation
 * that would exceed the size limit invalidates all keys.
 */
class InvalidationBufferTest {

    @Test
    void mergedInvalidationContainsEveryChangedKeyOrInvalidatesAllKeys() {
        long seed = System.nanoTime();
        System.out.println("InvalidationBufferTest: seed=" + seed);
        Random random = new Random(seed);
        InvalidationBuffer merged = new InvalidationBuffer(20);
        Set<String> changed = new HashSet<>();
        int overflows = 0;
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(12) > 0) {
                List<String> keys = List.of("k" + random.nextInt(40), "k" + random.nextInt(40));
                changed.addAll(keys);
                merged.add(new ChangedKeys(keys));
            } else {
                int size = merged.size();
                Invalidation taken = merged.poll();

                boolean everything = taken instanceof Everything;
                overflows += everything ? 1 : 0;
                assertThat(everything).as("seed=%d, step=%d", seed, step).isEqualTo(changed.size() > 20);
                if (taken instanceof ChangedKeys keys) {
                    assertThat(keys.keys()).hasSize(size).containsExactlyInAnyOrderElementsOf(changed);
                }
                assertThat(taken == null).isEqualTo(changed.isEmpty());
                assertThat(merged.size()).isZero();
                changed.clear();
            }
        }
        assertThat(overflows).as("seed=%d", seed).isPositive();
    }

    @Test
    void invalidationOfAllKeysReplacesInvalidationsOfSingleKeys() {
        InvalidationBuffer merged = new InvalidationBuffer(20);
        merged.add(new ChangedKeys(List.of("a")));

        merged.add(new Everything(Cause.CONNECTION_LOST));
        merged.add(new ChangedKeys(List.of("b")));
        merged.add(new Everything(Cause.RECONNECTED));

        assertThat(merged.size()).isEqualTo(1);
        assertThat(merged.poll()).isEqualTo(new Everything(Cause.RECONNECTED));
        assertThat(merged.poll()).isNull();
    }

    @Test
    void longKeyCountsAsSeveralKeysTowardsTheBufferLimit() {
        InvalidationBuffer merged = new InvalidationBuffer(10);
        String eight = "x".repeat(7 * InvalidationBuffer.TYPICAL_KEY_LENGTH);

        merged.add(new ChangedKeys(List.of(eight, "a", "b")));
        int fits = merged.size();
        merged.add(new ChangedKeys(List.of("c")));

        assertThat(fits).isEqualTo(3);
        assertThat(merged.poll()).isEqualTo(new Everything(Cause.OVERFLOWED));
    }
}
