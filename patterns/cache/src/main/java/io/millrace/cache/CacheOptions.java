// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ClientOptions;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;

/**
 * Settings of a cache. The javadoc of each constant states the range, the default and the reason for the default. All
 * processes that share a cache must use the same settings.
 *
 * @param timeToLive time to live of a value, {@link #TIME_TO_LIVE}
 * @param jitter maximum fraction of the time to live that is subtracted at random, {@link #JITTER}, also from the times
 *     of an {@link ExpiryPolicy} and of {@code put}. So values that were loaded together do not expire together, and no
 *     entry lives longer in Redis than its time to live
 * @param negativeTimeToLive time to live of a negative entry, {@link #NEGATIVE_TIME_TO_LIVE}; zero: negative entries
 *     are not cached
 * @param failureTimeToLive time to live of a cached failure, {@link #FAILURE_TIME_TO_LIVE}; zero: failures are not
 *     cached
 * @param staleFor time after expiry in which a stale value is served, {@link #STALE_FOR}; zero: stale values are not
 *     served
 * @param refreshAhead the length of the refresh-ahead period, as a fraction of the time to live, {@link
 *     #REFRESH_AHEAD}. The period ends when the entry expires. A lookup in this period starts a background load; 0: no
 *     entry is refreshed before it expires
 * @param lease time without renewal after which another process may load the key, {@link #LEASE}; zero: processes do
 *     not coordinate their loads. A lease is at least three times as long as the Redis timeout: then one renewal may get
 *     no reply, and the next renewal still arrives in time
 * @param deadline maximum time that a caller waits, {@link #DEADLINE}
 * @param loadTimeout maximum time of a loader call, {@link #LOAD_TIMEOUT}. The default is longer than the deadline: the
 *     value of a load whose callers have left is still cached. After this time the callers of the load get a
 *     {@link LoadTimedOutException}, the loader is interrupted, and the key can be loaded again. A timeout is not
 *     cached as a failure
 * @param redisTimeout maximum time that a caller waits for a reply of Redis, {@link #REDIS_TIMEOUT}, at most the
 *     deadline. After this time the caller continues without Redis
 * @param concurrentLoads maximum number of concurrent loader calls, {@link #CONCURRENT_LOADS}. Further loads wait for a
 *     permit until the deadline. With a lease, the wait also ends when another process has written the value.
 *     Background loads use at most half of the permits. If there is only one permit, background loads can use this
 *     permit
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
        Duration loadTimeout,
        Duration redisTimeout,
        int concurrentLoads) {

    private static final Duration MIN_TIME = Duration.ofMillis(1);
    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(365);

    /** A lease is renewed after each third. The renewals may take the Redis timeout. */
    private static final int RENEWALS_PER_LEASE = 3;

    /**
     * Range: 1 ms to 365 days. Default: 10 min, long enough for a useful hit rate, and short enough to limit the harm
     * of a missed removal.
     */
    public static final Setting<Duration> TIME_TO_LIVE = new Setting<>(
            "timeToLive", MIN_TIME, MAX_TIME_TO_LIVE, Duration.ofMinutes(10), Unit.TIME, "Time to live of a value.");

    /**
     * Range: 0 to 1. Default: 0.1. With the default time to live of 10 min, values that were loaded within one second
     * then expire over a period of one minute.
     */
    public static final Setting<Double> JITTER = new Setting<>(
            "jitter",
            0.0,
            1.0,
            0.1,
            Unit.FRACTION,
            "Maximum fraction of the time to live that is subtracted at random.");

    /**
     * Range: zero, or 1 ms to 365 days. Default: 1 min. A missing value is more likely to change than a present value.
     */
    public static final Setting<Duration> NEGATIVE_TIME_TO_LIVE = new Setting<>(
            "negativeTimeToLive",
            MIN_TIME,
            MAX_TIME_TO_LIVE,
            Duration.ofMinutes(1),
            Unit.TIME_OR_ZERO,
            "Time to live of a negative entry.");

    /** Range: zero, or 1 ms to 365 days. Default: zero. Set a duration to protect an overloaded backend. */
    public static final Setting<Duration> FAILURE_TIME_TO_LIVE = new Setting<>(
            "failureTimeToLive",
            MIN_TIME,
            MAX_TIME_TO_LIVE,
            Duration.ZERO,
            Unit.TIME_OR_ZERO,
            "Time after a failure during which the loader is not called again.");

    /**
     * Range: zero, or 1 ms to 365 days. Default: zero, because a cache serves stale values only if the application asks
     * for stale values.
     */
    public static final Setting<Duration> STALE_FOR = new Setting<>(
            "staleFor",
            MIN_TIME,
            MAX_TIME_TO_LIVE,
            Duration.ZERO,
            Unit.TIME_OR_ZERO,
            "Time after expiry during which a stale value is served while a background load replaces the value.");

    /** Range: 0 to 0.9. Default: 0, no refresh ahead of expiry. */
    public static final Setting<Double> REFRESH_AHEAD = new Setting<>(
            "refreshAhead",
            0.0,
            0.9,
            0.0,
            Unit.FRACTION,
            "Last fraction of the time to live in which a lookup starts a background load.");

    /** Range: zero, or 100 ms to 1 h. Default: zero. Each process then loads a missing value separately. */
    public static final Setting<Duration> LEASE = new Setting<>(
            "lease",
            Duration.ofMillis(100),
            Duration.ofHours(1),
            Duration.ZERO,
            Unit.TIME_OR_ZERO,
            "Time without renewal after which another process may load the key.");

    /** Range: 1 ms to 1 h. Default: 10 s, the default command timeout of the client. */
    public static final Setting<Duration> DEADLINE = new Setting<>(
            "deadline",
            MIN_TIME,
            Duration.ofHours(1),
            ClientOptions.COMMAND_TIMEOUT.defaultValue(),
            Unit.TIME,
            "Maximum time that a caller waits, for Redis and the loader together.");

    /** Range: 1 ms to 24 h. Default: 30 s, as long as most HTTP gateways wait for a reply. */
    public static final Setting<Duration> LOAD_TIMEOUT = new Setting<>(
            "loadTimeout",
            MIN_TIME,
            Duration.ofHours(24),
            Duration.ofSeconds(30),
            Unit.TIME,
            "Maximum time of a loader call.");

    /**
     * Range: 1 ms to 1 min. Default: 500 ms. Most server pauses are shorter, and a loader usually takes longer than a
     * healthy Redis.
     */
    public static final Setting<Duration> REDIS_TIMEOUT = new Setting<>(
            "redisTimeout",
            MIN_TIME,
            Duration.ofMinutes(1),
            Duration.ofMillis(500),
            Unit.TIME,
            "Maximum time that a caller waits for a reply of Redis.");

    /** Range: 1 to 65,536. Default: 64. Most databases and services accept 64 concurrent calls from one process. */
    public static final Setting<Integer> CONCURRENT_LOADS =
            new Setting<>("concurrentLoads", 1, 1 << 16, 64, Unit.COUNT, "Maximum number of concurrent loader calls.");

    public CacheOptions {
        TIME_TO_LIVE.check(timeToLive);
        JITTER.check(jitter);
        NEGATIVE_TIME_TO_LIVE.check(negativeTimeToLive);
        FAILURE_TIME_TO_LIVE.check(failureTimeToLive);
        STALE_FOR.check(staleFor);
        REFRESH_AHEAD.check(refreshAhead);
        LEASE.check(lease);
        DEADLINE.check(deadline);
        LOAD_TIMEOUT.check(loadTimeout);
        Duration longest = deadline.compareTo(REDIS_TIMEOUT.max()) < 0 ? deadline : REDIS_TIMEOUT.max();
        Setting.checkArgument(REDIS_TIMEOUT.name(), redisTimeout, REDIS_TIMEOUT.min(), longest);
        CONCURRENT_LOADS.check(concurrentLoads);
        if (!lease.isZero() && lease.compareTo(redisTimeout.multipliedBy(RENEWALS_PER_LEASE)) < 0) {
            throw new IllegalArgumentException("the lease is too short for the Redis timeout: lease="
                    + LEASE.unit().text(lease) + ", redisTimeout="
                    + REDIS_TIMEOUT.unit().text(redisTimeout) + ". Set a lease of at least three times redisTimeout.");
        }
    }

    /** Returns the default settings. */
    public static CacheOptions defaults() {
        return builder().build();
    }

    /** Returns these settings without negative entries, for {@link Format#PLAIN}. */
    CacheOptions withoutNegativeEntries() {
        return new CacheOptions(
                timeToLive,
                jitter,
                Duration.ZERO,
                failureTimeToLive,
                staleFor,
                refreshAhead,
                lease,
                deadline,
                loadTimeout,
                redisTimeout,
                concurrentLoads);
    }

    /** Returns a builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds the settings. Not thread-safe. */
    public static final class Builder {

        private Duration timeToLive = TIME_TO_LIVE.defaultValue();
        private double jitter = JITTER.defaultValue();
        private Duration negativeTimeToLive = NEGATIVE_TIME_TO_LIVE.defaultValue();
        private Duration failureTimeToLive = FAILURE_TIME_TO_LIVE.defaultValue();
        private Duration staleFor = STALE_FOR.defaultValue();
        private double refreshAhead = REFRESH_AHEAD.defaultValue();
        private Duration lease = LEASE.defaultValue();
        private Duration deadline = DEADLINE.defaultValue();
        private Duration loadTimeout = LOAD_TIMEOUT.defaultValue();
        private Duration redisTimeout = REDIS_TIMEOUT.defaultValue();
        private int concurrentLoads = CONCURRENT_LOADS.defaultValue();

        private Builder() {}

        /** Sets the time to live of a value. See {@link CacheOptions#TIME_TO_LIVE}. */
        public Builder timeToLive(Duration value) {
            timeToLive = value;
            return this;
        }

        /**
         * Sets the maximum fraction of the time to live that is subtracted at random. See {@link CacheOptions#JITTER}.
         */
        public Builder jitter(double value) {
            jitter = value;
            return this;
        }

        /** Sets the time to live of a negative entry. See {@link CacheOptions#NEGATIVE_TIME_TO_LIVE}. */
        public Builder negativeTimeToLive(Duration value) {
            negativeTimeToLive = value;
            return this;
        }

        /** Sets the time to live of a cached failure. See {@link CacheOptions#FAILURE_TIME_TO_LIVE}. */
        public Builder failureTimeToLive(Duration value) {
            failureTimeToLive = value;
            return this;
        }

        /** Sets the time after expiry in which a stale value is served. See {@link CacheOptions#STALE_FOR}. */
        public Builder staleFor(Duration value) {
            staleFor = value;
            return this;
        }

        /**
         * Sets the length of the refresh-ahead period, as a fraction of the time to live. A lookup in this period
         * starts a background load. See {@link CacheOptions#REFRESH_AHEAD}.
         */
        public Builder refreshAhead(double value) {
            refreshAhead = value;
            return this;
        }

        /**
         * Sets the time without renewal after which another process may load the key. See {@link CacheOptions#LEASE}.
         */
        public Builder lease(Duration value) {
            lease = value;
            return this;
        }

        /** Sets the maximum time that a caller waits. See {@link CacheOptions#DEADLINE}. */
        public Builder deadline(Duration value) {
            deadline = value;
            return this;
        }

        /** Sets the maximum time of a loader call. See {@link CacheOptions#LOAD_TIMEOUT}. */
        public Builder loadTimeout(Duration value) {
            loadTimeout = value;
            return this;
        }

        /** Sets the maximum time that a caller waits for a reply of Redis. See {@link CacheOptions#REDIS_TIMEOUT}. */
        public Builder redisTimeout(Duration value) {
            redisTimeout = value;
            return this;
        }

        /** Sets the maximum number of concurrent loader calls. See {@link CacheOptions#CONCURRENT_LOADS}. */
        public Builder concurrentLoads(int value) {
            concurrentLoads = value;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if a setting is out of range, or the lease is shorter than three times the
         *     Redis timeout; the message names the setting and the range
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
                    loadTimeout,
                    redisTimeout,
                    concurrentLoads);
        }
    }
}
