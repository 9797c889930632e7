// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.cli.SourceArguments.Format;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;

/** Creates sources that read CSV or TSV from a file, or from standard input if the SOURCE argument is {@code -}. */
final class CsvSourceFactory {

    private CsvSourceFactory() {}

    static SourceChoice create(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        CsvOptions options = csvOptions(typed, format(name, typed));
        if (name.equals(SourceFiles.STANDARD_INPUT)) {
            return new SourceChoice(CsvSource.of(standardStreams.in(), "standard input", options), List.of());
        }
        Path file = Path.of(name);
        return new SourceChoice(CsvSource.of(file, options), List.of(file));
    }

    private static Format format(String name, SourceArguments typed) {
        return SourceFiles.format(name, typed)
                .orElseThrow(() -> new UsageException(
                        name.equals(SourceFiles.STANDARD_INPUT)
                                ? "standard input needs --format: csv, tsv, jsonl or json."
                                : "cannot detect the format of " + name
                                        + ": its name does not end in .csv, .tsv, .jsonl, .ndjson or .json. "
                                        + "Add --format csv, tsv, jsonl or json; for a database, use a jdbc: URL."));
    }

    private static CsvOptions csvOptions(SourceArguments typed, Format format) {
        CsvOptions.Builder builder =
                CsvOptions.builder().columns(typed.columns.value().orElse(List.of()));
        builder.delimiter(typed.delimiter
                .value()
                .map(text -> character("--delimiter", text))
                .orElse(format == Format.TSV ? '\t' : ','));
        typed.quote.value().ifPresent(text -> {
            if (text.equals("none")) {
                builder.withoutQuote();
            } else {
                builder.quote(character("--quote", text));
            }
        });
        typed.nullText.value().ifPresent(builder::nullText);
        typed.encoding.value().ifPresent(name -> builder.encoding(charset(name)));
        typed.skipLines.value().ifPresent(builder::skipLines);
        typed.comment.value().ifPresent(text -> builder.comment(character("--comment", text)));
        typed.types.value().ifPresent(builder::types);
        try {
            return builder.build();
        } catch (IllegalArgumentException wrong) {
            throw new UsageException(wrong.getMessage() + ".", wrong);
        }
    }

    private static char character(String option, String text) {
        if (text.equals("\\t")) {
            return '\t';
        }
        if (text.length() != 1) {
            throw new UsageException(option + " '" + text + "' is not one character.");
        }
        return text.charAt(0);
    }

    private static Charset charset(String name) {
        try {
            return Charset.forName(name);
        } catch (IllegalArgumentException unknown) {
            throw new UsageException(
                    "--encoding '" + name + "' is unknown. Write a name such as UTF-8, ISO-8859-1 or windows-1252.",
                    unknown);
        }
    }
}
