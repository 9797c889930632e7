// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.GeneratedSource;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates sources of generated rows. The SOURCE argument is {@code gen:ROWS} or {@code gen:ROWS?seed=N}. */
final class GeneratedSourceFactory {

    private static final Pattern FORM = Pattern.compile("gen:(\\d{1,15})(?:\\?seed=(-?\\d{1,18}))?");

    private GeneratedSourceFactory() {}

    static boolean accepts(String source) {
        return source.startsWith("gen:");
    }

    static SourceChoice create(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        Matcher form = FORM.matcher(name);
        if (!form.matches()) {
            throw new UsageException("'" + name
                    + "' is not a generated source. Write gen:ROWS, such as gen:1000000, or gen:ROWS?seed=N.");
        }
        long rows = Long.parseLong(form.group(1));
        if (!GeneratedSource.ROWS.accepts(rows)) {
            throw new UsageException(GeneratedSource.ROWS.outOfRange(name));
        }
        long seed = form.group(2) == null ? 0 : Long.parseLong(form.group(2));
        return new SourceChoice(GeneratedSource.customers(rows, seed), List.of());
    }
}
