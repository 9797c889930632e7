// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class CapacityLimitTest {

    private final CapacityLimit capacityLimit = new CapacityLimit(1, () -> {});
    private final List<String> entered = new CopyOnWriteArrayList<>();

    @Test
    void waitingThreadsEnterInTheOrderOfTheirArrival() throws Exception {
        assertThat(capacityLimit.enter()).isTrue();
        Thread first = enterWaiting("first");
        Thread second = enterWaiting("second");

        capacityLimit.leave();
        first.join();
        capacityLimit.leave();
        second.join();

        assertThat(entered).containsExactly("first", "second");
    }

    @Test
    void droppedCapacityLimitLetsNoWaitingThreadEnter() throws Exception {
        assertThat(capacityLimit.enter()).isTrue();
        Thread first = enterWaiting("first");
        Thread second = enterWaiting("second");

        capacityLimit.drop();
        first.join();
        second.join();

        assertThat(entered).isEmpty();
        assertThat(capacityLimit.enter()).isFalse();
        assertThat(capacityLimit.hasWaiting()).isFalse();
    }

    /** Starts a thread that requests admission. Returns when the thread waits, or has ended unexpectedly. */
    private Thread enterWaiting(String name) {
        Thread thread = Thread.ofPlatform().start(() -> {
            if (capacityLimit.enter()) {
                entered.add(name);
            }
        });
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        return thread;
    }
}
