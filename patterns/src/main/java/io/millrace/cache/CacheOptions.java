// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;

/**
 * How a cache keeps and loads. {@link #builder} has the defaults and where they come from. All processes that share a cache are given
 * the same.
 *
 * @param timeToLive of a value, 1 ms to 365 days
 * @param jitter the part of the time to live, 0 to 1, of which a random share is taken off, so that what was loaded together does not
 *     expire together; nothing lives longer than its time to live
 * @param negativeTimeToLive of an entry that says that there is no value, up to 365 days; zero: it is not kept
 * @param failureTimeToLive for how long a loader is not called again after it failed, up to 365 days; zero: it is called again at once
 * @param staleFor for how long after its time a value is still served while it is loaded again in the background, up to 365 days; zero:
 *     not at all
 * @param refreshAhead the last part of the time to live, 0 to 0.9, in which one caller has the value loaded again in the background;
 *     0: none
 * @param lease how long a process that loads may be silent before another loads, 100 ms to 1 h; zero: processes do not know of one
 *     another's loads
 * @param deadline of a caller, whatever it waits for, 1 ms to 1 h
 * @param redisTimeout how long Redis may take to answer before a caller does without, 1 ms to 1 min and not longer than the deadline
 * @param concurrentLoads calls of loaders at the same time, 1 to 65,536; further ones wait until the deadline, or with a lease until
 *     another process has brought the value. Of it those in the background, for which nobody waits, take half at most, or the only one
 */
public record CacheOptions(
        Duration timeToLive,
        double jitter,
        Duration negativeTimeToLive,
        Duration failureTimeToLive,
        Duration staleFor,
        double refreshAhead,
        Duration lease,
        Duration deadline,
        Duration redisTimeout,
        int concurrentLoads) {

    static final Duration SHORTEST = Duration.ofMillis(1);
    static final Duration LONGEST = Duration.ofDays(365);

    public CacheOptions {
        Ranges.check("timeToLive", timeToLive, SHORTEST, LONGEST);
        Ranges.check("jitter", jitter, 0, 1);
        Ranges.checkUnlessZero("negativeTimeToLive", negativeTimeToLive, SHORTEST, LONGEST);
        Ranges.checkUnlessZero("failureTimeToLive", failureTimeToLive, SHORTEST, LONGEST);
        Ranges.checkUnlessZero("staleFor", staleFor, SHORTEST, LONGEST);
        Ranges.check("refreshAhead", refreshAhead, 0, 0.9);
        Ranges.checkUnlessZero("lease", lease, Duration.ofMillis(100), Duration.ofHours(1));
        Ranges.check("deadline", deadline, SHORTEST, Duration.ofHours(1));
        Duration longest = Duration.ofMinutes(1);
        Ranges.check("redisTimeout", redisTimeout, SHORTEST, deadline.compareTo(longest) < 0 ? deadline : longest);
        Ranges.check("concurrentLoads", concurrentLoads, 1, 1 << 16);
    }

    /** The defaults. */
    public static CacheOptions defaults() {
        return builder().build();
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private Duration timeToLive = Duration.ofMinutes(10);
        private double jitter = 0.1;
        private Duration negativeTimeToLive = Duration.ofMinutes(1);
        private Duration failureTimeToLive = Duration.ZERO;
        private Duration staleFor = Duration.ZERO;
        private double refreshAhead;
        private Duration lease = Duration.ZERO;
        private Duration deadline = Duration.ofSeconds(10);
        private Duration redisTimeout = Duration.ofMillis(500);
        private int concurrentLoads = 64;

        private Builder() {}

        /** Default 10 min: long enough to be of use, short enough for a value that should have been removed and was not. */
        public Builder timeToLive(Duration value) {
            timeToLive = value;
            return this;
        }

        /** Default 0.1, which spreads what was loaded in one second over a minute of the default time to live. */
        public Builder jitter(double value) {
            jitter = value;
            return this;
        }

        /** Default 1 min: what is not there now is more likely to change than what is. */
        public Builder negativeTimeToLive(Duration value) {
            negativeTimeToLive = value;
            return this;
        }

        /** Default zero: a failure is nothing to be kept, unless the loader is to be spared. */
        public Builder failureTimeToLive(Duration value) {
            failureTimeToLive = value;
            return this;
        }

        /** Default zero: nobody is served what is out of date without having asked for that. */
        public Builder staleFor(Duration value) {
            staleFor = value;
            return this;
        }

        /** Default 0. */
        public Builder refreshAhead(double value) {
            refreshAhead = value;
            return this;
        }

        /** Default zero: one load in each process. */
        public Builder lease(Duration value) {
            lease = value;
            return this;
        }

        /** Default 10 s, as a command's of the client. */
        public Builder deadline(Duration value) {
            deadline = value;
            return this;
        }

        /** Default 500 ms, in which a server is back from most pauses; a loader is slower than a Redis that works. */
        public Builder redisTimeout(Duration value) {
            redisTimeout = value;
            return this;
        }

        /** Default 64: what most databases and services bear from one process. */
        public Builder concurrentLoads(int value) {
            concurrentLoads = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of its range, which the message names
         */
        public CacheOptions build() {
            return new CacheOptions(
                    timeToLive,
                    jitter,
                    negativeTimeToLive,
                    failureTimeToLive,
                    staleFor,
                    refreshAhead,
                    lease,
                    deadline,
                    redisTimeout,
                    concurrentLoads);
        }
    }
}
