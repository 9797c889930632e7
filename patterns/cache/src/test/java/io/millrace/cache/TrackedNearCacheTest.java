// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.NearCache.PendingRead;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The entries of a near cache, with invalidations sent by the test. */
class TrackedNearCacheTest {

    private static final String PREFIX = "users:";

    /** Longer than the times of the other tests. */
    private static final Duration LONGEST = Duration.ofHours(10);

    private final ManualClock clock = new ManualClock();
    private final AtomicLong timeOfDay = new AtomicLong(1_000_000);
    private final ClockAndRandom clockAndRandom =
            new ClockAndRandom(timeOfDay::get, clock, ClockAndRandom.SYSTEM.random());
    private final ManualTracking tracking = new ManualTracking();

    private ConcurrentMap<String, NearSlot<String>> slots =
            CaffeineNearSlots.create(NearCacheOptions.entries(1_000), clockAndRandom, LONGEST);
    private NearCache<String> nearCache = new TrackedNearCache<>(tracking, PREFIX, slots);

    private void limitTo(NearCacheOptions options) {
        slots = CaffeineNearSlots.create(options, clockAndRandom, LONGEST);
        nearCache = new TrackedNearCache<>(tracking, PREFIX, slots);
    }

    private void keep(String key, Entry<String> entry) {
        nearCache.completeRead(nearCache.beginRead(key), entry);
    }

    private void pass(long millis) {
        timeOfDay.addAndGet(millis);
        clock.advance(Duration.ofMillis(millis));
    }

    @Test
    void entryIsServedUntilItsInvalidation() {
        keep("1", TestEntries.of("Ada"));
        keep("2", TestEntries.of("Bob"));

        tracking.invalidate("users:1", "users:3");

        assertThat(nearCache.find("1")).isNull();
        assertThat(nearCache.find("2")).isEqualTo(TestEntries.of("Bob"));
        assertThat(nearCache.find("3")).isNull();
    }

    @Test
    void invalidationOfAKeyWithAnotherPrefixDropsAllEntries() {
        keep("1", TestEntries.of("Ada"));
        PendingRead reading = nearCache.beginRead("2");

        tracking.invalidate("renamed:1");

        assertThat(nearCache.find("1")).isNull();
        nearCache.completeRead(reading, TestEntries.of("out of date"));
        assertThat(nearCache.find("2")).isNull();
    }

    @Test
    void invalidationBetweenAReplyAndItsInsertionPreventsTheInsertion() {
        PendingRead changed = nearCache.beginRead("1");
        PendingRead same = nearCache.beginRead("2");
        tracking.invalidate("users:1");
        nearCache.find("anything");

        nearCache.completeRead(changed, TestEntries.of("out of date"));
        nearCache.completeRead(same, TestEntries.of("Bob"));

        assertThat(nearCache.find("1")).isNull();
        assertThat(nearCache.find("2")).isNotNull();
    }

    @Test
    void replyIsNotServedIfItsInvalidationArrivedButWasNotApplied() {
        PendingRead ticket = nearCache.beginRead("1");
        tracking.invalidate("users:1");

        nearCache.completeRead(ticket, TestEntries.of("out of date"));

        assertThat(nearCache.find("1")).isNull();
    }

    @Test
    void keyWithAnUnpairedSurrogateIsNotKept() {
        keep("\ud800", TestEntries.of("Ada"));
        keep("\ud83d\ude00", TestEntries.of("Bob"));

        assertThat(nearCache.find("\ud800")).isNull();
        assertThat(nearCache.find("\ud83d\ude00")).isNotNull();
    }

    @Test
    void invalidationOfAllKeysDropsAllEntriesAndTheRepliesOfReadsInProgress() {
        keep("1", TestEntries.of("Ada"));
        PendingRead reading = nearCache.beginRead("2");
        tracking.invalidate(new Everything(Cause.FLUSHED));

        Entry<String> found = nearCache.find("1");
        nearCache.completeRead(reading, TestEntries.of("Bob"));

        assertThat(found).isNull();
        assertThat(nearCache.find("2")).isNull();
        keep("2", TestEntries.of("Bob"));
        assertThat(nearCache.find("2")).isNotNull();
    }

    @Test
    void writeOfThisProcessDropsTheEntryAndTheRepliesOfReadsInProgress() {
        keep("1", TestEntries.of("Ada"));
        PendingRead reading = nearCache.beginRead("2");

        nearCache.invalidate("1");
        nearCache.invalidate("2");
        nearCache.completeRead(reading, TestEntries.of("out of date"));

        assertThat(nearCache.find("1")).isNull();
        assertThat(nearCache.find("2")).isNull();
    }

    @Test
    void nearCacheKeepsTheFirstReplyOfConcurrentReadsUntilALaterReadReplacesTheEntry() {
        PendingRead one = nearCache.beginRead("1");
        PendingRead other = nearCache.beginRead("1");
        nearCache.completeRead(one, TestEntries.of("Ada"));
        PendingRead again = nearCache.beginRead("1");

        nearCache.completeRead(other, TestEntries.of("Ada, later"));
        Entry<String> kept = nearCache.find("1");
        nearCache.completeRead(again, TestEntries.of("Ada, again"));

        assertThat(kept).isEqualTo(TestEntries.of("Ada"));
        assertThat(nearCache.find("1")).isEqualTo(TestEntries.of("Ada, again"));
    }

    @Test
    void readThatBeganBeforeAnInvalidationDoesNotReplaceALaterEqualEntry() {
        keep("1", TestEntries.of("A"));
        PendingRead slow = nearCache.beginRead("1");
        tracking.invalidate("users:1");
        nearCache.find("1");
        keep("1", TestEntries.of("A"));

        nearCache.completeRead(slow, TestEntries.of("B, outdated"));

        assertThat(nearCache.find("1")).isEqualTo(TestEntries.of("A"));
    }

    @Test
    void abandonedReadLeavesNoPlaceholderInTheNearCache() {
        PendingRead ticket = nearCache.beginRead("1");

        nearCache.abandonRead(ticket);
        nearCache.completeRead(ticket, TestEntries.of("too late"));

        assertThat(nearCache.find("1")).isNull();
        assertThat(slots).isEmpty();
    }

    // Tests of a lost tracking connection.

    @Test
    void noEntryIsServedOrKeptWhileTheTrackingConnectionIsDown() {
        keep("1", TestEntries.of("Ada"));
        PendingRead before = nearCache.beginRead("2");

        tracking.lose();
        Entry<String> found = nearCache.find("1");
        nearCache.completeRead(before, TestEntries.of("Bob"));
        keep("3", TestEntries.of("Eve"));

        assertThat(found).isNull();
        assertThat(slots.keySet()).doesNotContain("2", "3");
    }

    @Test
    void readThatBeganBeforeAConnectionLossIsNotKept() {
        PendingRead before = nearCache.beginRead("1");
        keep("2", TestEntries.of("Bob"));

        tracking.lose();
        tracking.establish();
        nearCache.completeRead(before, TestEntries.of("out of date"));

        assertThat(nearCache.find("1")).isNull();
        assertThat(nearCache.find("2")).isNull();
        keep("1", TestEntries.of("Ada"));
        assertThat(nearCache.find("1")).isNotNull();
    }

    // Tests of the limits of time and size.

    @Test
    void entryExpiresNoLaterThanInRedis() {
        keep("1", TestEntries.until("Ada", timeOfDay.get() + 100));
        keep("2", TestEntries.until("expired", timeOfDay.get()));
        keep("3", TestEntries.until("expired long ago", timeOfDay.get() - 5_000));
        keep("4", TestEntries.of("never"));

        pass(99);
        Entry<String> justBefore = nearCache.find("1");
        pass(1);

        assertThat(justBefore).isNotNull();
        assertThat(nearCache.find("1")).isNull();
        assertThat(nearCache.find("2")).isNull();
        assertThat(nearCache.find("3")).isNull();
        assertThat(nearCache.find("4")).isNotNull();
    }

    @Test
    void placeholderExpiresIfItsReadNeverEnds() {
        PendingRead ticket = nearCache.beginRead("1");

        pass(TimeUnit.MINUTES.toMillis(1));
        nearCache.completeRead(ticket, TestEntries.of("too late"));

        assertThat(nearCache.find("1")).isNull();
    }

    @Test
    void numberOfEntriesStaysWithinTheLimit() {
        limitTo(NearCacheOptions.entries(100));

        for (int i = 0; i < 20_000; i++) {
            keep("k" + i, TestEntries.of("v"));
            assertThat(slots.size()).isLessThanOrEqualTo(100);
        }

        assertThat(slots.size()).isGreaterThan(50);
    }

    @Test
    void numberOfBytesStaysWithinTheLimit() {
        long most = 100_000;
        limitTo(NearCacheOptions.bytes(most));

        for (int i = 0; i < 5_000; i++) {
            keep("k" + i, TestEntries.sized("v", Long.MAX_VALUE, i % 3_000));
            assertThat(bytes()).isLessThanOrEqualTo(most);
        }
        keep("huge", TestEntries.sized("v", Long.MAX_VALUE, 1_000_000));

        assertThat(nearCache.find("huge")).isNull();
        assertThat(bytes()).isGreaterThan(most / 2);
    }

    private long bytes() {
        return slots.values().stream()
                .mapToLong(nearSlot -> CaffeineNearSlots.ENTRY_BYTES
                        + 2L * nearSlot.key().length()
                        + (nearSlot.entry() == null ? 0 : nearSlot.entry().bytes()))
                .sum();
    }

    @Test
    void entryWithoutAKnownExpiryIsDroppedAfterTheLongestTime() {
        keep("plain", TestEntries.of("v"));

        clock.advance(LONGEST.minusMillis(1));
        assertThat(nearCache.find("plain")).isNotNull();
        clock.advance(Duration.ofMillis(2));

        assertThat(nearCache.find("plain")).isNull();
    }

    @Test
    void optionsOutOfRangeAreRejected() {
        assertThatThrownBy(() -> NearCacheOptions.entries(0))
                .hasMessageContaining("maximum=0 is out of range: at least 1.");
        assertThatThrownBy(() -> NearCacheOptions.NONE.withPingInterval(Duration.ZERO))
                .hasMessageContaining("pingInterval");
        assertThatThrownBy(() -> NearCacheOptions.NONE.withBuffer(0)).hasMessageContaining("buffer");
    }
}
