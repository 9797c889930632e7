// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class ConcurrentCallersTest {

    @ParameterizedTest
    @EnumSource(ThreadKind.class)
    void everyCallerRunsOnceAtTheSameTimeAsTheOthers(ThreadKind kind) throws Exception {
        CyclicBarrier all = new CyclicBarrier(16);
        Set<Integer> callers = ConcurrentHashMap.newKeySet();

        ConcurrentCallers.run(kind, 16, caller -> {
            assertThat(Thread.currentThread().isVirtual()).isEqualTo(kind == ThreadKind.VIRTUAL);
            all.await();
            callers.add(caller);
        });

        assertThat(callers).hasSize(16);
    }

    @ParameterizedTest
    @EnumSource(ThreadKind.class)
    void firstFailureEndsTheOtherCallersAndIsThrown(ThreadKind kind) {
        CountDownLatch never = new CountDownLatch(1);

        assertThatThrownBy(() -> ConcurrentCallers.run(kind, 4, caller -> {
                    if (caller == 2) {
                        throw new IllegalStateException("caller 2 fails");
                    }
                    never.await();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("caller 2 fails");
    }
}
