// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes exceptions in one line. */
final class FailureText {

    private static final int MAX_CAUSES = 4;

    private FailureText() {}

    /** Class and message of {@code failure} and of its causes, the outermost first. */
    static String of(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(MAX_CAUSES)
                .map(cause -> cause.getClass().getSimpleName() + ": " + cause.getMessage())
                .collect(Collectors.joining(", caused by "))
                .replaceAll("[\r\n]+", " ");
    }
}
