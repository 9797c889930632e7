// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** See {@link Source#polling}. */
final class PollingSource<T> implements Source<T> {

    private static final Duration MIN_INTERVAL = Duration.ofMillis(1);
    private static final Duration MAX_INTERVAL = Duration.ofHours(24);

    private final long intervalNanos;
    private final Source<T> polled;

    PollingSource(Duration interval, Source<T> polled) {
        RangeChecks.check("interval", interval, MIN_INTERVAL, MAX_INTERVAL);
        this.intervalNanos = interval.toNanos();
        this.polled = Objects.requireNonNull(polled, "polled");
    }

    @Override
    public List<T> next() throws Exception {
        List<T> tasks = polled.next();
        while (tasks.isEmpty()) {
            TimeUnit.NANOSECONDS.sleep(intervalNanos); // the flow interrupts this thread when it stops
            tasks = polled.next();
        }
        return tasks;
    }

    @Override
    public void settled(Outcome<T, ?> outcome) throws Exception {
        polled.settled(outcome);
    }

    @Override
    public void close() throws Exception {
        polled.close();
    }
}
