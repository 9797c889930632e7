// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.TrackingOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * What a cache keeps in this process besides. Needs Caffeine on the class path, and a server that tells which keys change
 * ({@link io.millrace.client.RedisClient#track}).
 *
 * @param limit what {@code most} counts
 * @param most of that, from 1; what was used least goes first
 * @param quiet between one sign of life that is asked of the server and the next, 10 ms to 1 h; an entry is out of date for
 *     twice that at most after the connection has died unnoticed
 * @param buffer how many changed keys may wait to be looked at before all entries are dropped instead, 1 to 16,777,216
 */
public record NearOptions(Limit limit, long most, Duration quiet, int buffer) {

    /** What a near cache is limited by. */
    public enum Limit {
        /** Nothing is kept. */
        NOTHING,
        /** Entries, whatever their size. */
        ENTRIES,
        /**
         * The bytes of keys and of values, these as they are in Redis, and 200 for each entry. A value that is larger as an object
         * than as bytes takes more.
         */
        BYTES
    }

    /** No near cache. */
    public static final NearOptions NONE =
            new NearOptions(Limit.NOTHING, 1, TrackingOptions.DEFAULT_QUIET, TrackingOptions.DEFAULT_BUFFER);

    public NearOptions {
        Objects.requireNonNull(limit, "limit");
        Ranges.check("most", most, 1, Long.MAX_VALUE);
        Ranges.check("quiet", quiet, Duration.ofMillis(10), Duration.ofHours(1));
        Ranges.check("buffer", buffer, 1, 1 << 24);
    }

    /** So many entries, and otherwise the defaults of {@link TrackingOptions}. */
    public static NearOptions entries(long most) {
        return new NearOptions(Limit.ENTRIES, most, NONE.quiet, NONE.buffer);
    }

    /** So many bytes, and otherwise the defaults of {@link TrackingOptions}. */
    public static NearOptions bytes(long most) {
        return new NearOptions(Limit.BYTES, most, NONE.quiet, NONE.buffer);
    }

    /** The same with another time between signs of life. */
    public NearOptions withQuiet(Duration value) {
        return new NearOptions(limit, most, value, buffer);
    }

    /** The same with another buffer. */
    public NearOptions withBuffer(int keys) {
        return new NearOptions(limit, most, quiet, keys);
    }
}
