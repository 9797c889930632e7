// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * A type of source. It defines which SOURCE arguments and options it accepts, and builds the source from them.
 *
 * @param noun the type with its article, for messages, such as {@code a CSV or TSV file}
 * @param help the SOURCE arguments of this type, for the help text
 * @param readsFiles whether a source of this type is one file, so that several files are several sources
 * @param accepted whether a SOURCE argument with its options is of this type
 * @param options names of the options in {@link SourceArguments} that this type accepts
 * @param factory builds the source; the caller has checked the typed options against {@code options}
 */
record SourceType(
        String noun,
        String help,
        boolean readsFiles,
        BiPredicate<String, SourceArguments> accepted,
        Set<String> options,
        Factory factory) {

    /** Builds a source. */
    @FunctionalInterface
    interface Factory {

        /**
         * Returns the source that the arguments describe. Nothing is opened yet.
         *
         * @param typed contains only options that the type accepts
         * @throws UsageException if options are missing or contradict each other
         */
        SourceChoice create(
                String source, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker);
    }

    /** Returns a type that accepts no options. */
    static SourceType of(String noun, String help, Predicate<String> accepted, Factory factory) {
        return new SourceType(noun, help, false, (source, typed) -> accepted.test(source), Set.of(), factory);
    }

    /** Returns a type that accepts no options, and whose SOURCE argument alone does not show the type. */
    static SourceType ofFiles(
            String noun, String help, BiPredicate<String, SourceArguments> accepted, Factory factory) {
        return new SourceType(noun, help, true, accepted, Set.of(), factory);
    }

    /** Returns a copy of this type that accepts the options {@code names}. */
    SourceType taking(String... names) {
        return new SourceType(noun, help, readsFiles, accepted, Set.of(names), factory);
    }
}
