// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Failures in words. */
final class Failures {

    private static final int CAUSES = 4;

    /** What {@code failure} says, and its causes, the outermost first. */
    static String inOneLine(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(CAUSES)
                .map(cause -> cause.getClass().getSimpleName() + ": " + cause.getMessage())
                .collect(Collectors.joining(", caused by "))
                .replace('\n', ' ')
                .replace('\r', ' ');
    }

    private Failures() {}
}
