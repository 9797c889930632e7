// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.cli.SourceArguments.Format;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Creates sources that read CSV or TSV from a file, or from standard input if the SOURCE argument is {@code -}. */
final class CsvSourceFactory {

    private static final String STANDARD_INPUT = "-";

    private CsvSourceFactory() {}

    static SourceChoice create(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        refuseCompressed(name, typed);
        CsvOptions options = csvOptions(typed, format(name, typed));
        if (name.equals(STANDARD_INPUT)) {
            return new SourceChoice(CsvSource.of(standardStreams.in(), "standard input", options), Optional.empty());
        }
        Path file = path(name);
        return new SourceChoice(CsvSource.of(file, options), Optional.of(file));
    }

    /** Returns the file with the name {@code name}, which must exist. For all sources that read files. */
    static Path path(String name) {
        try {
            Path file = Path.of(name);
            if (!Files.exists(file)) {
                throw new UsageException("cannot read " + name + ": there is no such file."
                        + (name.matches(".*[*?\\[].*") ? " Name one file: patterns are not supported." : ""));
            }
            return file;
        } catch (InvalidPathException invalid) {
            throw new UsageException("cannot read " + name + ": the path is invalid.", invalid);
        }
    }

    private static Format format(String name, SourceArguments typed) {
        if (typed.format.isTyped()) {
            return typed.format.value().orElseThrow();
        }
        if (name.equals(STANDARD_INPUT)) {
            throw new UsageException("standard input needs --format: csv or tsv.");
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".csv")) {
            return Format.CSV;
        }
        if (lower.endsWith(".tsv")) {
            return Format.TSV;
        }
        throw new UsageException("cannot detect the format of " + name
                + ": its name ends neither in .csv nor in .tsv. "
                + "For a CSV or TSV file, add --format csv or --format tsv; for a database, use a jdbc: URL.");
    }

    /**
     * Refuses a compressed file. This check runs before the other checks of the file, because its advice is right for
     * all combinations of options.
     */
    private static void refuseCompressed(String name, SourceArguments typed) {
        String lower = name.toLowerCase(Locale.ROOT);
        boolean gzip = lower.endsWith(".gz");
        if (gzip || lower.endsWith(".zst")) {
            boolean tsv = typed.format.value().equals(Optional.of(Format.TSV)) || lower.contains(".tsv.");
            throw new UsageException(name + " is compressed. Decompress it with a program: "
                    + (gzip ? "zcat " : "zstdcat ") + RedisCliFormatter.quoted(name) + " | millrace load - --format "
                    + (tsv ? "tsv" : "csv") + " …");
        }
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
