// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Places among the concurrent loads, and who gets them. */
@ExtendWith(NoThreadLeft.class)
class RoomTest {

    @Test
    void whoCameFirstIsServedFirst() throws Exception {
        Room room = new Room(1);
        Room.Turn first = room.queue();
        Room.Turn second = room.queue();
        Room.Turn third = room.queue();

        assertThat(first.await(0)).isTrue();
        assertThat(second.await(0)).isFalse();
        assertThat(room.tryTake()).isFalse();
        assertThat(room.waiting()).isEqualTo(2);
        room.giveBack();

        assertThat(second.await(0)).isTrue();
        assertThat(third.await(0)).isFalse();
    }

    @Test
    void whoGivesUpKeepsNobodyWaiting() throws Exception {
        Room room = new Room(1);
        assertThat(room.take(0)).isTrue();
        Room.Turn impatient = room.queue();
        Room.Turn late = room.queue();
        Room.Turn last = room.queue();

        assertThat(room.take(0)).isFalse();
        impatient.giveUp();
        room.giveBack();
        assertThat(last.await(0)).isFalse();
        late.giveUp(); // its turn has come, unnoticed

        assertThat(last.await(0)).isTrue();
        assertThat(room.waiting()).isZero();
    }

    @Test
    void noMoreAreInThanThereArePlacesAndNoPlaceIsLost() throws Exception {
        long seed = System.nanoTime();
        System.out.println("RoomTest: seed=" + seed);
        Room room = new Room(3);
        AtomicInteger in = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger number = new AtomicInteger();

        Crowd.ask(64, () -> {
            Random random = new Random(seed + number.incrementAndGet());
            for (int i = 0; i < 500; i++) {
                if (room.take(random.nextInt(200_000))) {
                    most.accumulateAndGet(in.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1_000);
                    in.decrementAndGet();
                    room.giveBack();
                }
            }
            return true;
        });

        assertThat(most.get()).isBetween(1, 3);
        assertThat(room.waiting()).isZero();
        for (int place = 0; place < 3; place++) {
            assertThat(room.tryTake()).isTrue();
        }
        assertThat(room.tryTake()).isFalse();
    }
}
