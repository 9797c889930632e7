// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Outcomes;
import java.util.Map;
import java.util.stream.Stream;

/** Callers that got an exception instead of a text: what they are called, and as what they are counted. */
final class Unanswered {

    /** What every library has in the names of its exceptions for that. */
    private static final String TIMEOUT = "Timeout";

    private static final int DEEPEST = 10;

    /** The exception's name, and that of a timeout that has caused it. */
    static String name(Throwable exception) {
        var name = exception.getClass().getSimpleName();
        return name.contains(TIMEOUT)
                ? name
                : Stream.iterate(exception.getCause(), cause -> cause != null, Throwable::getCause)
                        .limit(DEEPEST)
                        .map(cause -> cause.getClass().getSimpleName())
                        .filter(cause -> cause.contains(TIMEOUT))
                        .findFirst()
                        .map(cause -> name + " for a " + cause)
                        .orElse(name);
    }

    /**
     * The outcomes of {@code callers} of whom some got an exception: they were no error replies, but timed out or were lost.
     *
     * @param exceptions how many got which, by {@link #name}
     */
    static Outcomes outcomes(long callers, Map<String, Long> exceptions) {
        long all = exceptions.values().stream().mapToLong(Long::longValue).sum();
        long timedOut = exceptions.entrySet().stream()
                .filter(exception -> exception.getKey().contains(TIMEOUT))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return new Outcomes(callers - all, 0, timedOut, 0, all - timedOut);
    }

    private Unanswered() {}
}
