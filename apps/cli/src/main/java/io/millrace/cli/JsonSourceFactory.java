// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.cli.SourceArguments.Format;
import io.millrace.load.source.JsonOptions;
import io.millrace.load.source.JsonOptions.Layout;
import io.millrace.load.source.JsonSource;
import java.nio.file.Path;
import java.util.List;

/** Creates sources that read JSON from a file, or from standard input if the SOURCE argument is {@code -}. */
final class JsonSourceFactory {

    private JsonSourceFactory() {}

    /** Whether the source is JSON: the typed format or the name of the file shows it. */
    static boolean accepts(String source, SourceArguments typed) {
        return SourceFiles.format(source, typed)
                .map(format -> format == Format.JSONL || format == Format.JSON)
                .orElse(false);
    }

    static SourceChoice create(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        Format format = SourceFiles.format(name, typed).orElseThrow();
        JsonOptions options = JsonOptions.defaults()
                .withLayout(format == Format.JSON ? Layout.DOCUMENT : Layout.LINES)
                .withColumns(typed.columns.value().orElse(List.of()));
        if (name.equals(SourceFiles.STANDARD_INPUT)) {
            return new SourceChoice(JsonSource.of(standardStreams.in(), "standard input", options), List.of());
        }
        Path file = Path.of(name);
        return new SourceChoice(JsonSource.of(file, options), List.of(file));
    }
}
