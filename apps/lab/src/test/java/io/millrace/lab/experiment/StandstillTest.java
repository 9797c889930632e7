// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class StandstillTest {

    @Test
    void twoThreadsThatWaitInTakeAreADeadlockAndAreLetGo() throws Exception {
        var ending = new Standstill(TwoConsumersFirst.Threads.POOL_OF_TWO, 50).await();

        assertThat(ending.produced()).isZero();
        assertThat(ending.consumed()).isZero();
        assertThat(ending.deadlock().orElseThrow())
                .matches("DEADLOCK: nothing has moved for \\d+\\.\\d s: produced=0 of 50, consumed=0, "
                        + "thread-1 WAITING in ArrayBlockingQueue.take, thread-2 WAITING in ArrayBlockingQueue.take");
    }

    @Test
    void aVirtualThreadForEachHasNoDeadlock() throws Exception {
        var ending = new Standstill(TwoConsumersFirst.Threads.VIRTUAL, 5_000).await();

        assertThat(ending).isEqualTo(new Standstill.Ending(5_000, 5_000, Optional.empty()));
    }
}
