// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.Near.Ticket;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.testkit.ManualClock;
import java.time.Duration;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a near cache keeps, and for how long, when it is told by hand. */
class NearTest {

    private static final String PREFIX = "users:";

    private final ManualClock clock = new ManualClock();
    private final AtomicLong timeOfDay = new AtomicLong(1_000_000);
    private final Surroundings surroundings = new Surroundings(timeOfDay::get, clock, Surroundings.SYSTEM.random());
    private final ToldByHand tracking = new ToldByHand();

    private ConcurrentMap<String, Slot<String>> slots = CaffeineSlots.limited(NearOptions.entries(1_000), surroundings);
    private Near<String> near = new TrackedNear<>(tracking, PREFIX, slots);

    private void limitTo(NearOptions options) {
        slots = CaffeineSlots.limited(options, surroundings);
        near = new TrackedNear<>(tracking, PREFIX, slots);
    }

    private void keep(String key, Entry<String> entry) {
        near.keep(near.begin(key), entry);
    }

    private void pass(long millis) {
        timeOfDay.addAndGet(millis);
        clock.advance(Duration.ofMillis(millis));
    }

    @Test
    void whatIsKeptIsThereUntilItIsTold() {
        keep("1", Entries.of("Ada"));
        keep("2", Entries.of("Bob"));

        tracking.tell("users:1", "users:3");

        assertThat(near.find("1")).isNull();
        assertThat(near.find("2")).isEqualTo(Entries.of("Bob"));
        assertThat(near.find("3")).isNull();
    }

    @Test
    void aKeyThatWasNotAskedAboutMayBeAny() {
        keep("1", Entries.of("Ada"));
        Ticket asking = near.begin("2");

        tracking.tell("renamed:1");

        assertThat(near.find("1")).isNull();
        near.keep(asking, Entries.of("out of date"));
        assertThat(near.find("2")).isNull();
    }

    @Test
    void whatIsToldBetweenAReplyAndItsBeingKeptPreventsIt() {
        Ticket changed = near.begin("1");
        Ticket same = near.begin("2");
        tracking.tell("users:1");
        near.find("anything");

        near.keep(changed, Entries.of("out of date"));
        near.keep(same, Entries.of("Bob"));

        assertThat(near.find("1")).isNull();
        assertThat(near.find("2")).isNotNull();
    }

    @Test
    void whatIsToldButNotLookedAtWhenAReplyIsKeptPreventsItToo() {
        Ticket ticket = near.begin("1");
        tracking.tell("users:1");

        near.keep(ticket, Entries.of("out of date"));

        assertThat(near.find("1")).isNull();
    }

    @Test
    void aKeyThatIsNotItselfInUtf8IsNotKept() {
        keep("\ud800", Entries.of("Ada"));
        keep("\ud83d\ude00", Entries.of("Bob"));

        assertThat(near.find("\ud800")).isNull();
        assertThat(near.find("\ud83d\ude00")).isNotNull();
    }

    @Test
    void everythingIsEverything() {
        keep("1", Entries.of("Ada"));
        Ticket asking = near.begin("2");
        tracking.tell(new Everything(Cause.FLUSHED));

        Entry<String> found = near.find("1");
        near.keep(asking, Entries.of("Bob"));

        assertThat(found).isNull();
        assertThat(near.find("2")).isNull();
        keep("2", Entries.of("Bob"));
        assertThat(near.find("2")).isNotNull();
    }

    @Test
    void whatThisProcessWritesIsForgotten() {
        keep("1", Entries.of("Ada"));
        Ticket asking = near.begin("2");

        near.forget("1");
        near.forget("2");
        near.keep(asking, Entries.of("out of date"));

        assertThat(near.find("1")).isNull();
        assertThat(near.find("2")).isNull();
    }

    @Test
    void ofManyWhoAskAtTheSameTimeTheFirstAnswerIsKeptAndLaterOnesTakeItsPlace() {
        Ticket one = near.begin("1");
        Ticket other = near.begin("1");
        near.keep(one, Entries.of("Ada"));
        Ticket again = near.begin("1");

        near.keep(other, Entries.of("Ada, later"));
        Entry<String> kept = near.find("1");
        near.keep(again, Entries.of("Ada, again"));

        assertThat(kept).isEqualTo(Entries.of("Ada"));
        assertThat(near.find("1")).isEqualTo(Entries.of("Ada, again"));
    }

    @Test
    void whatWasTheSameInBetweenIsNotTakenForUnchanged() {
        keep("1", Entries.of("A"));
        Ticket slow = near.begin("1");
        tracking.tell("users:1");
        near.find("1");
        keep("1", Entries.of("A"));

        near.keep(slow, Entries.of("B, which it was in between"));

        assertThat(near.find("1")).isEqualTo(Entries.of("A"));
    }

    @Test
    void anAbandonedQuestionLeavesNothing() {
        Ticket ticket = near.begin("1");

        near.abandon(ticket);
        near.keep(ticket, Entries.of("too late"));

        assertThat(near.find("1")).isNull();
        assertThat(slots).isEmpty();
    }

    // While it is not established.

    @Test
    void nothingIsServedOrKeptWhileTheConnectionIsGone() {
        keep("1", Entries.of("Ada"));
        Ticket before = near.begin("2");

        tracking.lose();
        Entry<String> found = near.find("1");
        near.keep(before, Entries.of("Bob"));
        keep("3", Entries.of("Eve"));

        assertThat(found).isNull();
        assertThat(slots.keySet()).doesNotContain("2", "3");
    }

    @Test
    void whatWasAskedBeforeALossIsNotKeptAfterIt() {
        Ticket before = near.begin("1");
        keep("2", Entries.of("Bob"));

        tracking.lose();
        tracking.establish();
        near.keep(before, Entries.of("out of date"));

        assertThat(near.find("1")).isNull();
        assertThat(near.find("2")).isNull();
        keep("1", Entries.of("Ada"));
        assertThat(near.find("1")).isNotNull();
    }

    // Limits.

    @Test
    void anEntryEndsNoLaterThanInRedis() {
        keep("1", Entries.until("Ada", timeOfDay.get() + 100));
        keep("2", Entries.until("over", timeOfDay.get()));
        keep("3", Entries.until("long over", timeOfDay.get() - 5_000));
        keep("4", Entries.of("never"));

        pass(99);
        Entry<String> justBefore = near.find("1");
        pass(1);

        assertThat(justBefore).isNotNull();
        assertThat(near.find("1")).isNull();
        assertThat(near.find("2")).isNull();
        assertThat(near.find("3")).isNull();
        assertThat(near.find("4")).isNotNull();
    }

    @Test
    void aQuestionThatNobodyEndsIsForgotten() {
        Ticket ticket = near.begin("1");

        pass(TimeUnit.MINUTES.toMillis(1));
        near.keep(ticket, Entries.of("too late"));

        assertThat(near.find("1")).isNull();
    }

    @Test
    void thereAreNeverMoreEntriesThanAllowed() {
        limitTo(NearOptions.entries(100));

        for (int i = 0; i < 20_000; i++) {
            keep("k" + i, Entries.of("v"));
            assertThat(slots.size()).isLessThanOrEqualTo(100);
        }

        assertThat(slots.size()).isGreaterThan(50);
    }

    @Test
    void thereAreNeverMoreBytesThanAllowed() {
        long most = 100_000;
        limitTo(NearOptions.bytes(most));

        for (int i = 0; i < 5_000; i++) {
            keep("k" + i, Entries.sized("v", Long.MAX_VALUE, i % 3_000));
            assertThat(bytes()).isLessThanOrEqualTo(most);
        }
        keep("huge", Entries.sized("v", Long.MAX_VALUE, 1_000_000));

        assertThat(near.find("huge")).isNull();
        assertThat(bytes()).isGreaterThan(most / 2);
    }

    private long bytes() {
        return slots.values().stream()
                .mapToLong(slot -> CaffeineSlots.ENTRY_BYTES
                        + 2L * slot.key().length()
                        + (slot.entry() == null ? 0 : slot.entry().bytes()))
                .sum();
    }

    @Test
    void optionsOutOfTheirRangesAreRefused() {
        assertThatThrownBy(() -> NearOptions.entries(0)).hasMessageContaining("most is out of range: 0");
        assertThatThrownBy(() -> NearOptions.NONE.withQuiet(Duration.ZERO)).hasMessageContaining("quiet");
        assertThatThrownBy(() -> NearOptions.NONE.withBuffer(0)).hasMessageContaining("buffer");
    }
}
