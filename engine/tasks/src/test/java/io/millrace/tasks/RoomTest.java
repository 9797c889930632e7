// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RoomTest {

    private final Room room = new Room(100, 10, () -> {});
    private final List<String> entered = new CopyOnWriteArrayList<>();

    @Test
    void aLightTaskDoesNotPassAHeavyOneThatWaits() throws Exception {
        assertThat(room.enter(5)).isTrue();
        Thread heavy = enterWaiting("heavy", 10);
        Thread light = enterWaiting("light", 1);

        room.leave(1, 5);
        heavy.join();
        room.leave(1, 10);
        light.join();

        assertThat(entered).containsExactly("heavy", "light");
    }

    @Test
    void whoeverWaitsIsSentAwayWhenItIsDropped() throws Exception {
        assertThat(room.enter(10)).isTrue();
        Thread first = enterWaiting("first", 1);
        Thread second = enterWaiting("second", 1);

        room.drop();
        first.join();
        second.join();

        assertThat(entered).isEmpty();
        assertThat(room.enter(0)).isFalse();
        assertThat(room.isFull()).isFalse();
    }

    /** A thread that has come to wait, or has entered although it should not have. */
    private Thread enterWaiting(String name, long weight) {
        Thread thread = Thread.ofPlatform().start(() -> {
            if (room.enter(weight)) {
                entered.add(name);
            }
        });
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        return thread;
    }
}
