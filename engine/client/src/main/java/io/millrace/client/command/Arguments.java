// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects and checks the arguments of one command. */
final class Arguments {

    /** Range of the time limit of a command, and of the time for which the server may block a command. */
    static final Duration MIN_WAIT = Duration.ofMillis(1);

    static final Duration MAX_WAIT = Duration.ofDays(1);

    /** Range of the time of an expiry. The server rejects 0. */
    private static final Instant MIN_TIME = Instant.ofEpochMilli(1);

    private static final Instant MAX_TIME = Instant.parse("9999-12-31T23:59:59.999Z");

    private final List<Object> values = new ArrayList<>();

    private Arguments() {}

    static Arguments of(Object... first) {
        Arguments arguments = new Arguments();
        for (Object value : first) {
            arguments.values.add(value);
        }
        return arguments;
    }

    Arguments add(Object value) {
        values.add(value);
        return this;
    }

    /** Adds all values of the array {@code more}. Throws an exception if the array is empty. */
    Arguments addEach(String name, Object[] more) {
        notEmpty(name, more.length);
        for (Object value : more) {
            values.add(value);
        }
        return this;
    }

    /** Adds each key of {@code pairs}, followed by the key's value. Throws an exception if {@code pairs} is empty. */
    Arguments addPairs(String name, Map<?, ?> pairs) {
        notEmpty(name, pairs.size());
        pairs.forEach((key, value) -> {
            values.add(key);
            values.add(value);
        });
        return this;
    }

    int size() {
        return values.size();
    }

    <T> Command<T> to(CommandSpec<T> spec) {
        return Command.of(spec, values.toArray());
    }

    static void notEmpty(String name, int size) {
        if (size == 0) {
            throw new IllegalArgumentException("the number of " + name + " must be 1 or more, not 0");
        }
    }

    /** Checks a count, 1 to 2,147,483,647. */
    static long count(String name, long value) {
        Ranges.check(name, value, 1L, (long) Integer.MAX_VALUE);
        return value;
    }

    /** Formats a score, a sum or a distance in the server's notation. Accepts infinities, rejects NaN. */
    static String real(String name, double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException(name + " must be a number, finite or infinite, not NaN");
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        return Double.toString(value);
    }

    /** Formats a finite number in the server's notation. Rejects infinities and NaN. */
    static String finite(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " must be a finite number, not " + value);
        }
        return Double.toString(value);
    }

    /** Checks that {@code ttl} is 1 ms to 36,500 days. Returns {@code ttl} in milliseconds. */
    static long ttlMillis(Duration ttl) {
        Ranges.check("ttl", ttl, SetOptions.MIN_TTL, SetOptions.MAX_TTL);
        return ttl.toMillis();
    }

    /**
     * Checks that {@code time} is from 1970-01-01T00:00:00.001Z to the end of the year 9999. Returns the milliseconds
     * since 1970.
     */
    static long epochMillis(Instant time) {
        if (time.isBefore(MIN_TIME) || time.isAfter(MAX_TIME)) {
            throw new IllegalArgumentException("time must be " + MIN_TIME + " to " + MAX_TIME + ", not " + time);
        }
        return time.toEpochMilli();
    }

    /**
     * Checks that {@code wait} is 1 ms to 1 day. Returns {@code wait} in milliseconds. Zero is rejected, because the
     * server would then wait without a limit.
     */
    static long waitMillis(Duration wait) {
        Ranges.check("wait", wait, MIN_WAIT, MAX_WAIT);
        return wait.toMillis();
    }

    /** Checks {@code wait} as {@link #waitMillis} does. Returns {@code wait} in seconds with three decimals. */
    static String waitSeconds(Duration wait) {
        long millis = waitMillis(wait);
        return String.format(Locale.ROOT, "%d.%03d", millis / 1_000, millis % 1_000);
    }
}
