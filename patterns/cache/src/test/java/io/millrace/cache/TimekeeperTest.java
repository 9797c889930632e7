// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class TimekeeperTest {

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final Queue<String> due = new ConcurrentLinkedQueue<>();

    private Timekeeper<String> timekeeper(long delayNanos, long idleNanos) {
        return new Timekeeper<>("millrace-test", delayNanos, idleNanos, System::nanoTime, due::addAll);
    }

    @Test
    void itemsAreDueInTheOrderInWhichTheyWereAdded() {
        Timekeeper<String> timekeeper = timekeeper(MILLISECOND, TimeUnit.MINUTES.toNanos(1));

        timekeeper.add("one");
        timekeeper.add("two");

        Eventually.is("both items are due", 2, due::size);
        timekeeper.close();
        assertThat(due).containsExactly("one", "two");
    }

    @Test
    void removedItemIsNotDueAndItemThatIsAddedAgainIsDueOnce() {
        Timekeeper<String> timekeeper = timekeeper(500 * MILLISECOND, TimeUnit.MINUTES.toNanos(1));

        timekeeper.add("removed");
        timekeeper.add("twice");
        timekeeper.remove("removed");
        timekeeper.add("twice");
        timekeeper.add("last");

        Eventually.is("the last item is due", true, () -> due.contains("last"));
        timekeeper.close();
        assertThat(due).containsExactly("twice", "last");
    }

    @Test
    void threadIsADaemonPlatformThreadThatEndsWhenIdleAndStartsAgain() {
        AtomicReference<Thread> thread = new AtomicReference<>(Thread.currentThread());
        Timekeeper<String> timekeeper = new Timekeeper<>(
                "millrace-test",
                MILLISECOND,
                MILLISECOND,
                System::nanoTime,
                items -> thread.set(Thread.currentThread()));

        timekeeper.add("one");
        Eventually.is("the item is due", "millrace-test", () -> thread.get().getName());
        Thread first = thread.get();
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.isVirtual()).isFalse();
        Eventually.is("the thread has ended", false, first::isAlive);
        timekeeper.add("two");

        Eventually.is("another thread runs", true, () -> !thread.get().equals(first));
    }

    @Test
    void closedTimekeeperIgnoresItemsAndItsThreadEnds() {
        Timekeeper<String> timekeeper = timekeeper(TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(1));

        timekeeper.add("one");
        timekeeper.close();
        timekeeper.add("two");

        assertThat(due).isEmpty();
    }

    @Test
    void itemThatIsDueAtOnceOvertakesTheOthers() {
        Timekeeper<String> timekeeper = timekeeper(TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(1));

        timekeeper.add("later");
        assertThat(timekeeper.addDue("now")).isTrue();

        Eventually.is("one item is due", 1, due::size);
        assertThat(timekeeper.drain()).containsExactly("later");
        assertThat(due).containsExactly("now");
        assertThat(timekeeper.addDue("never")).isFalse();
    }

    @Test
    void itemThatIsAddedDuringTheActionIsDueLater() throws Exception {
        CountDownLatch calls = new CountDownLatch(3);
        AtomicReference<Timekeeper<String>> itself = new AtomicReference<>();
        Timekeeper<String> timekeeper =
                new Timekeeper<>("millrace-test", MILLISECOND, TimeUnit.MINUTES.toNanos(1), System::nanoTime, items -> {
                    calls.countDown();
                    items.forEach(item -> itself.get().add(item));
                });
        itself.set(timekeeper);

        timekeeper.add("again");

        assertThat(calls.await(60, TimeUnit.SECONDS)).isTrue();
        timekeeper.close();
    }
}
