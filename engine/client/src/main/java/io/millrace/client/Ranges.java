// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Objects;

/** Refuses settings outside their range, with the range in the message. */
final class Ranges {

    private static final Duration SHOWN_IN_MILLIS = Duration.ofMillis(Long.MAX_VALUE);

    private Ranges() {}

    static <T extends Comparable<T>> void check(String name, T value, T least, T most) {
        Objects.requireNonNull(value, name);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    name + " must be " + shown(least) + " to " + shown(most) + ", not " + shown(value));
        }
    }

    private static Object shown(Object value) {
        return value instanceof Duration duration && duration.compareTo(SHOWN_IN_MILLIS) < 0
                ? duration.toMillis() + " ms"
                : value;
    }
}
