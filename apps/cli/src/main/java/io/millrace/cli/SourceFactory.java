// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Set;

/** A kind of source: the SOURCE arguments and the options that it accepts, and how they become a source. */
interface SourceFactory {

    /** The kind with its article, for messages, such as {@code a file}. */
    String noun();

    /** Whether {@code source}, the SOURCE argument, is of this kind. */
    boolean accepts(String source);

    /** The names of the options in {@link SourceArguments} that this kind takes. */
    Set<String> optionNames();

    /**
     * The source that the arguments describe. Nothing is opened yet.
     *
     * @param typed has only options of {@link #optionNames}
     * @throws UsageException if options are missing or contradict each other
     */
    SourceChoice create(
            String source, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker);
}
