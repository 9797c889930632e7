// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelayLineTest {

    private static final Duration DELAY = Duration.ofMillis(5);
    private static final int ITEM_BYTES = DelayLine.FLOOR_BYTES;
    private static final int ITEM_CHARGE = ITEM_BYTES + DelayLine.OVERHEAD_BYTES;
    private static final int DIRECTION_BYTES = 8 * ITEM_CHARGE;
    private static final int ALL_BYTES = 2 * DIRECTION_BYTES;
    private static final int PLENTY = 1 << 20;

    private final ManualClock clock = new ManualClock();
    private final DelayLine<String> line = new DelayLine<>(DELAY, new Limits(DIRECTION_BYTES, ALL_BYTES), clock);
    private final List<String> told = new ArrayList<>();

    @Test
    void nothingComesOutBeforeItsTime() {
        line.offer(account("a"), "first", 1);
        clock.advance(Duration.ofMillis(2));
        line.offer(account("a"), "second", 1);

        clock.advance(DELAY.minusMillis(2).minusNanos(1));
        var early = due();
        long nanosToFirst = line.nanosToNext();
        clock.advance(Duration.ofNanos(1));
        var first = due();
        long nanosToSecond = line.nanosToNext();

        assertThat(early).isEmpty();
        assertThat(nanosToFirst).isEqualTo(1);
        assertThat(first).containsExactly("first");
        assertThat(nanosToSecond).isEqualTo(Duration.ofMillis(2).toNanos());
    }

    @Test
    void itemsComeOutInTheOrderTheyWentInAndNoMoreThanAskedFor() {
        for (var name : List.of("a", "b", "c", "d")) {
            line.offer(account(name), name, 1);
        }
        clock.advance(DELAY);

        var some = new ArrayList<String>();
        line.takeDue(some, 3);

        assertThat(some).containsExactly("a", "b", "c");
        assertThat(due()).containsExactly("d");
        assertThat(line.nanosToNext()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void onlyAnItemThatTravelsAloneAsksForTheDeliveringThread() {
        var account = account("a");

        boolean first = line.offer(account, "first", 1);
        boolean second = line.offer(account, "second", 1);
        clock.advance(DELAY);
        due();
        boolean third = line.offer(account, "third", 1);

        assertThat(List.of(first, second, third)).containsExactly(true, false, true);
    }

    @Test
    void itemIsChargedUntilItIsReleased() {
        var account = account("a");

        line.offer(account, "item", 30);
        clock.advance(DELAY);
        due();
        long delivered = line.heldBytes();
        line.release(account, 30);

        assertThat(delivered).isEqualTo(30 + DelayLine.OVERHEAD_BYTES);
        assertThat(line.heldBytes()).isZero();
    }

    @Test
    void directionAtItsLimitIsToldWhenItHoldsHalfOfIt() {
        var account = account("a");
        int items = fill(account);

        var toldWhenHeld = new ArrayList<Long>();
        for (int released = 0; released < items; released++) {
            line.release(account, ITEM_BYTES);
            if (told.size() > toldWhenHeld.size()) {
                toldWhenHeld.add(line.heldBytes());
            }
        }

        assertThat(items).isEqualTo(8);
        assertThat(toldWhenHeld).containsExactly(DIRECTION_BYTES / 2L);
    }

    @Test
    void directionThatHoldsNothingMayReadALittleWhenAllRoomIsUsedUp() {
        fill(account("a"));
        fill(account("b"));
        var late = account("late");

        int room = line.room(late, PLENTY);
        line.offer(late, "item", room);
        int more = line.room(late, PLENTY);

        assertThat(line.heldBytes()).isEqualTo(ALL_BYTES + room + DelayLine.OVERHEAD_BYTES);
        assertThat(room).isEqualTo(DelayLine.FLOOR_BYTES);
        assertThat(more).isZero();
    }

    @Test
    void directionIsToldWhenItHoldsNothingThoughAllRoomIsUsedUpByOthers() {
        fill(account("a"));
        fill(account("b"));
        var late = account("late");
        int room = line.room(late, PLENTY);
        line.offer(late, "item", room);
        line.room(late, PLENTY);

        line.release(late, room);

        assertThat(told).containsExactly("late");
    }

    @Test
    void directionsThatWaitForTheRoomOfAllAreToldWhenAQuarterOfItIsFree() {
        var big = account("big");
        int items = fill(big);
        fill(account("b"));
        var late = account("late");
        line.offer(late, "item", 1);
        line.room(late, PLENTY);

        var toldWhenHeld = new ArrayList<Long>();
        for (int released = 0; released < items; released++) {
            line.release(big, ITEM_BYTES);
            if (told.contains("late") && toldWhenHeld.isEmpty()) {
                toldWhenHeld.add(line.heldBytes());
            }
        }

        assertThat(told).containsOnlyOnce("late").containsOnlyOnce("big").doesNotContain("b");
        assertThat(toldWhenHeld.getFirst()).isBetween(ALL_BYTES / 4L * 3 - ITEM_CHARGE, ALL_BYTES / 4L * 3);
    }

    @Test
    void forgottenDirectionIsNotTold() {
        var account = account("a");
        int items = fill(account);

        line.forget(account);
        for (int released = 0; released < items; released++) {
            line.release(account, ITEM_BYTES);
        }

        assertThat(told).isEmpty();
        assertThat(line.heldBytes()).isZero();
    }

    /** Offers items until there is no room; says how many. */
    private int fill(Account account) {
        int items = 0;
        while (line.room(account, ITEM_BYTES) > 0) {
            line.offer(account, "item", ITEM_BYTES);
            items++;
        }
        return items;
    }

    private Account account(String name) {
        return new Account(() -> told.add(name));
    }

    private List<String> due() {
        var due = new ArrayList<String>();
        line.takeDue(due, PLENTY);
        return due;
    }
}
