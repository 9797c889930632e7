// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queue.LimitedLog.Event;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limit of the lines of frequent events. */
class LimitedLogTest {

    @RegisterExtension
    final CapturedLog lines = new CapturedLog();

    private final AtomicLong clock = new AtomicLong();
    private final LimitedLog log = new LimitedLog("feeds", "mill-1", clock::get);

    @Test
    void eventsAboveTheLimitAreCountedInTheNextLine() {
        for (int i = 0; i < 25; i++) {
            log.log(Event.FAILED, Level.WARNING, "an attempt failed", ", job=" + i, null);
        }
        int logged = lines.lines().size();
        clock.set(Duration.ofMinutes(1).toNanos());

        log.log(Event.FAILED, Level.WARNING, "an attempt failed", ", job=25", null);

        assertThat(logged).isEqualTo(LimitedLog.MAX_LINES);
        assertThat(lines.lines().getFirst()).isEqualTo("WARNING an attempt failed: queue=feeds, worker=mill-1, job=0");
        assertThat(lines.lines().getLast())
                .isEqualTo("WARNING an attempt failed: queue=feeds, worker=mill-1, eventsNotLogged=15, job=25");
    }

    @Test
    void eachKindOfEventHasItsOwnLimit() {
        for (int i = 0; i < 25; i++) {
            log.log(Event.FAILED, Level.WARNING, "an attempt failed", "", null);
        }

        log.log(Event.DEAD, Level.WARNING, "a job is dead", "", null);

        assertThat(lines.lines()).hasSize(LimitedLog.MAX_LINES + 1);
    }
}
