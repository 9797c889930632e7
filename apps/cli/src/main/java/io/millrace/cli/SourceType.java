// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Set;
import java.util.function.Predicate;

/**
 * A type of source: the SOURCE arguments and the options that it accepts, and how they become a source.
 *
 * @param noun the type with its article, for messages, such as {@code a file}
 * @param help the SOURCE arguments of this type, for the help text
 * @param accepted whether a SOURCE argument is of this type
 * @param options names of the options in {@link SourceArguments} that this type takes
 * @param factory builds the source from options that have passed the check against {@code options}
 */
record SourceType(String noun, String help, Predicate<String> accepted, Set<String> options, Factory factory) {

    /** Builds a source. */
    @FunctionalInterface
    interface Factory {

        /**
         * Returns the source that the arguments describe. Nothing is opened yet.
         *
         * @param typed has only options that the type takes
         * @throws UsageException if options are missing or contradict each other
         */
        SourceChoice create(
                String source, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker);
    }

    /** A type that takes no options. */
    static SourceType of(String noun, String help, Predicate<String> accepted, Factory factory) {
        return new SourceType(noun, help, accepted, Set.of(), factory);
    }

    /** This type, which takes {@code names}. */
    SourceType taking(String... names) {
        return new SourceType(noun, help, accepted, Set.of(names), factory);
    }
}
