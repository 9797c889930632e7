// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.function.LongUnaryOperator;

/** A load of a history in progress. Not thread-safe. */
final class HistoryLoad {

    private final String event;
    private final ActivityOptions options;
    private final LongUnaryOperator checked;
    private final ActivityStore.LoadBuffer gathering;
    private long marks;
    private MarkCounts counts = MarkCounts.NONE;

    // The time of the last mark, and the span that contains this time, such as its day. The next mark often has the
    // same time, so its span need not be computed again.
    private LocalDateTime time = LocalDate.EPOCH.atStartOfDay();
    private EventSpan eventSpan;

    /** @param checked returns its argument, or throws an exception if the argument is not a legal id */
    HistoryLoad(String event, ActivityOptions options, ActivityStore activityStore, LongUnaryOperator checked) {
        this.event = event;
        this.options = options;
        this.checked = checked;
        this.gathering = activityStore.loadBuffer();
        this.eventSpan = new EventSpan(event, Span.of(options.granularity(), time));
    }

    /** Adds a mark in the span that contains {@code at}. */
    void add(LocalDateTime at, long id) {
        if (!at.equals(time)) {
            time = at;
            EventSpan next = new EventSpan(event, Span.of(options.granularity(), at));
            eventSpan = next.equals(eventSpan) ? eventSpan : next;
        }
        gathering.add(eventSpan, checked.applyAsLong(id));
        marks++;
        if (gathering.bytes() >= options.historyBytes()) {
            counts = counts.plus(gathering.send());
        }
    }

    /** Sends the remaining marks. Returns the counts of all marks. */
    LoadCounts end() {
        counts = counts.plus(gathering.send());
        return new LoadCounts(marks, counts.added(), counts.expired());
    }
}
