// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Setting;
import java.time.Duration;
import java.time.Instant;

/** When a pushed job is due. A due job is taken before jobs that wait. */
public sealed interface JobOptions {

    /** The longest delay: 3,650 days. A longer delay is probably a mistake in the unit. */
    Duration MAX_DELAY = Duration.ofDays(3_650);

    /** Returns the options of a job that is due at once. */
    static JobOptions now() {
        return Now.NOW;
    }

    /**
     * Returns the options of a job that is due after {@code delay}. The clock of the server measures the delay. A
     * worker begins the job within about one second after the job is due, if a place of a worker is free.
     *
     * @param delay zero to {@link #MAX_DELAY}
     */
    static JobOptions after(Duration delay) {
        return new After(delay);
    }

    /**
     * Returns the options of a job that is due at {@code time} of the server's clock. A time in the past means now. A
     * worker begins the job within about one second after the job is due, if a place of a worker is free.
     *
     * @param time at most the year 9999
     */
    static JobOptions at(Instant time) {
        return new At(time);
    }

    /** The job is due at once. */
    enum Now implements JobOptions {
        /** The only instance. */
        NOW
    }

    /**
     * The job is due after a delay.
     *
     * @param delay zero to {@link #MAX_DELAY}
     */
    record After(Duration delay) implements JobOptions {

        public After {
            Setting.checkArgument("delay", delay, Duration.ZERO, MAX_DELAY);
        }
    }

    /**
     * The job is due at a time.
     *
     * @param time 1970 to 9999
     */
    record At(Instant time) implements JobOptions {

        private static final Instant MAX_TIME = Instant.parse("9999-12-31T23:59:59Z");

        public At {
            Setting.checkArgument("time", time, Instant.EPOCH, MAX_TIME);
        }
    }
}
