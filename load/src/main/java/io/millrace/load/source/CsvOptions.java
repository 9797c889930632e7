// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Options for reading a CSV or TSV file.
 *
 * @param delimiter delimiter between fields, an ASCII character; if empty, the file name decides: a tab for {@code
 *     .tsv} and {@code .tab}, otherwise a comma
 * @param quote quote character around fields, an ASCII character; empty for no quoting. Default: {@code "}
 * @param encoding character set of the file. Default: UTF-8. The bytes of a UTF-8 file are not converted
 * @param columns column names, in order, for a file without a header; if empty, the first record contains the names
 * @param nullText text that means NULL in an unquoted field, compared byte by byte; empty if no field is NULL. Default:
 *     the empty text, so that {@code 1,,x} contains a NULL and {@code 1,"",x} an empty text, as in the output of
 *     PostgreSQL's {@code COPY}
 * @param fieldLimitBytes {@link #FIELD_LIMIT_BYTES}; a row with a longer field is rejected
 * @param skipLines {@link #SKIP_LINES}
 * @param comment a line that begins with this ASCII character is skipped, also before the header; empty if the file has
 *     no comments
 * @param types kinds of the values. Default: {@link CsvTypes#TEXT}
 */
public record CsvOptions(
        Optional<Character> delimiter,
        Optional<Character> quote,
        Charset encoding,
        List<String> columns,
        Optional<String> nullText,
        int fieldLimitBytes,
        int skipLines,
        Optional<Character> comment,
        CsvTypes types) {

    /** Range: 1 byte to 1 GB. Default: 16 MB, which is far above usual values and still fits a heap of 64 MB. */
    public static final Setting<Integer> FIELD_LIMIT_BYTES =
            new Setting<>("fieldLimitBytes", 1, 1 << 30, 16 << 20, Unit.BYTES, "Maximum length of a field.");

    /** Range: 0 to 1,000,000. Default: 0. */
    public static final Setting<Integer> SKIP_LINES = new Setting<>(
            "skipLines", 0, 1_000_000, 0, Unit.COUNT, "Number of lines that are skipped at the beginning of the file.");

    private static final CsvOptions DEFAULTS = new CsvOptions(
            Optional.empty(),
            Optional.of('"'),
            StandardCharsets.UTF_8,
            List.of(),
            Optional.of(""),
            FIELD_LIMIT_BYTES.defaultValue(),
            SKIP_LINES.defaultValue(),
            Optional.empty(),
            CsvTypes.TEXT);

    public CsvOptions {
        columns = List.copyOf(columns);
        delimiter.ifPresent(c -> requireSyntax("delimiter", c));
        quote.ifPresent(c -> requireSyntax("quote", c));
        if (delimiter.isPresent() && delimiter.equals(quote)) {
            throw new IllegalArgumentException(
                    "delimiter and quote are both '" + delimiter.get() + "'; they must differ");
        }
        FIELD_LIMIT_BYTES.check(fieldLimitBytes);
        SKIP_LINES.check(skipLines);
        comment.ifPresent(c -> requireSyntax("comment", c));
        if (comment.isPresent() && (comment.equals(delimiter) || comment.equals(quote))) {
            throw new IllegalArgumentException(
                    "comment='" + comment.get() + "' is also the delimiter or the quote; they must differ");
        }
    }

    /** The default options. */
    public static CsvOptions defaults() {
        return DEFAULTS;
    }

    /** A builder with the default options. */
    public static Builder builder() {
        return new Builder(DEFAULTS);
    }

    /** The delimiter for a file named {@code name}. */
    char delimiterFor(String name) {
        String lower = SourceInput.plainName(name);
        return delimiter.orElse(lower.endsWith(".tsv") || lower.endsWith(".tab") ? '\t' : ',');
    }

    private static void requireSyntax(String what, char c) {
        if (c == 0 || c >= 0x80 || c == '\n' || c == '\r') {
            throw new IllegalArgumentException(
                    "%s=U+%04X; it must be an ASCII character and not a line end".formatted(what, (int) c));
        }
    }

    /**
     * Builds {@link CsvOptions}. {@link #build} throws {@link IllegalArgumentException} if options contradict each
     * other.
     */
    public static final class Builder {

        private Optional<Character> delimiter;
        private Optional<Character> quote;
        private Charset encoding;
        private List<String> columns;
        private Optional<String> nullText;
        private int fieldLimitBytes;
        private int skipLines;
        private Optional<Character> comment;
        private CsvTypes types;

        private Builder(CsvOptions from) {
            delimiter = from.delimiter;
            quote = from.quote;
            encoding = from.encoding;
            columns = from.columns;
            nullText = from.nullText;
            fieldLimitBytes = from.fieldLimitBytes;
            skipLines = from.skipLines;
            comment = from.comment;
            types = from.types;
        }

        public Builder delimiter(char newDelimiter) {
            delimiter = Optional.of(newDelimiter);
            return this;
        }

        public Builder quote(char newQuote) {
            quote = Optional.of(newQuote);
            return this;
        }

        /** No character is a quote. */
        public Builder withoutQuote() {
            quote = Optional.empty();
            return this;
        }

        public Builder encoding(Charset newEncoding) {
            encoding = newEncoding;
            return this;
        }

        public Builder columns(List<String> names) {
            columns = names;
            return this;
        }

        public Builder nullText(String newNullText) {
            nullText = Optional.of(newNullText);
            return this;
        }

        /** No field is NULL. An empty field is an empty text. */
        public Builder withoutNullText() {
            nullText = Optional.empty();
            return this;
        }

        public Builder fieldLimitBytes(int newLimit) {
            fieldLimitBytes = newLimit;
            return this;
        }

        public Builder skipLines(int lines) {
            skipLines = lines;
            return this;
        }

        public Builder comment(char newComment) {
            comment = Optional.of(newComment);
            return this;
        }

        public Builder types(CsvTypes newTypes) {
            types = newTypes;
            return this;
        }

        public CsvOptions build() {
            return new CsvOptions(
                    delimiter, quote, encoding, columns, nullText, fieldLimitBytes, skipLines, comment, types);
        }
    }
}
