// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects the arguments of one command, and refuses those that no server takes. */
final class Arguments {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);
    private static final Duration LONGEST_TTL = Duration.ofDays(36_500);

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

    /** Adds all of {@code more}; none would be another command, or no command. */
    Arguments addEach(String name, Object[] more) {
        notEmpty(name, more.length);
        for (Object value : more) {
            values.add(value);
        }
        return this;
    }

    /** Adds each key, followed by its value. */
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
            throw new IllegalArgumentException(name + " must be 1 or more, not 0");
        }
    }

    /** A count of things, 1 to 2,147,483,647. */
    static long count(String name, long value) {
        Ranges.check(name, value, 1L, (long) Integer.MAX_VALUE);
        return value;
    }

    /** A score, a sum or a distance as the server reads it. */
    static String real(String name, double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException(name + " must be a number, finite or infinite, not NaN");
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        return Double.toString(value);
    }

    /** The same, of which the server takes finite ones only. */
    static String finite(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " must be a finite number, not " + value);
        }
        return Double.toString(value);
    }

    /** How long a key lives, in milliseconds: 1 ms to 36,500 days. */
    static long ttlMillis(Duration ttl) {
        Ranges.check("ttl", ttl, SHORTEST, LONGEST_TTL);
        return ttl.toMillis();
    }

    /** How long the server may wait, in milliseconds: 1 ms to 1 day. What means "for ever" to it, zero, is refused. */
    static long waitMillis(Duration wait) {
        Ranges.check("wait", wait, SHORTEST, LONGEST_WAIT);
        return wait.toMillis();
    }

    /** The same in seconds with three decimals. */
    static String waitSeconds(Duration wait) {
        long millis = waitMillis(wait);
        return String.format(Locale.ROOT, "%d.%03d", millis / 1_000, millis % 1_000);
    }
}
