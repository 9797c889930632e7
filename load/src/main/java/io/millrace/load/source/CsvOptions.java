// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How a CSV or TSV file is read.
 *
 * @param delimiter between fields, an ASCII character; empty means by the file's ending: a tab for {@code .tsv} and
 *     {@code .tab}, otherwise a comma
 * @param quote around fields, an ASCII character; empty means that no character quotes. Default: {@code "}
 * @param encoding of the file. In UTF-8, the default, bytes pass through untouched
 * @param columns names of the columns, in order; the file then has no header. Empty means that the first record names them
 * @param nullText what an unquoted field must be, to the byte, to be NULL; empty means that no field is NULL. Default: the
 *     empty text, so that {@code 1,,x} has a NULL and {@code 1,"",x} an empty text, as PostgreSQL's {@code COPY} writes them
 * @param fieldLimitBytes most bytes a field may have, 1 to 1,073,741,824; a row with a longer one is rejected. Default: 16 MiB,
 *     which is beyond any sensible value and lets a heap of 64 MiB read the file
 */
public record CsvOptions(
        Optional<Character> delimiter,
        Optional<Character> quote,
        Charset encoding,
        List<String> columns,
        Optional<String> nullText,
        int fieldLimitBytes) {

    private static final int MAX_FIELD_LIMIT = 1 << 30;
    private static final CsvOptions DEFAULTS = new CsvOptions(
            Optional.empty(), Optional.of('"'), StandardCharsets.UTF_8, List.of(), Optional.of(""), 16 << 20);

    public CsvOptions {
        columns = List.copyOf(columns);
        delimiter.ifPresent(c -> requireSyntax("delimiter", c));
        quote.ifPresent(c -> requireSyntax("quote", c));
        if (delimiter.isPresent() && delimiter.equals(quote)) {
            throw new IllegalArgumentException(
                    "delimiter and quote are both '" + delimiter.get() + "'; they must differ");
        }
        if (fieldLimitBytes < 1 || fieldLimitBytes > MAX_FIELD_LIMIT) {
            throw new IllegalArgumentException(
                    "fieldLimitBytes=" + fieldLimitBytes + "; it must be 1 to " + MAX_FIELD_LIMIT);
        }
    }

    /** The defaults, as each option says. */
    public static CsvOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder(DEFAULTS);
    }

    /** The delimiter of a file called {@code name}. */
    char delimiterFor(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return delimiter.orElse(lower.endsWith(".tsv") || lower.endsWith(".tab") ? '\t' : ',');
    }

    private static void requireSyntax(String what, char c) {
        if (c == 0 || c >= 0x80 || c == '\n' || c == '\r') {
            throw new IllegalArgumentException(
                    "%s=U+%04X; it must be an ASCII character and not a line end".formatted(what, (int) c));
        }
    }

    /** Builds {@link CsvOptions}; {@link #build} refuses what does not go together. */
    public static final class Builder {

        private Optional<Character> delimiter;
        private Optional<Character> quote;
        private Charset encoding;
        private List<String> columns;
        private Optional<String> nullText;
        private int fieldLimitBytes;

        private Builder(CsvOptions from) {
            delimiter = from.delimiter;
            quote = from.quote;
            encoding = from.encoding;
            columns = from.columns;
            nullText = from.nullText;
            fieldLimitBytes = from.fieldLimitBytes;
        }

        public Builder delimiter(char newDelimiter) {
            delimiter = Optional.of(newDelimiter);
            return this;
        }

        public Builder quote(char newQuote) {
            quote = Optional.of(newQuote);
            return this;
        }

        /** Takes every character of a field as it stands. */
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

        /** Takes no field as NULL: an empty field is an empty text. */
        public Builder withoutNullText() {
            nullText = Optional.empty();
            return this;
        }

        public Builder fieldLimitBytes(int newLimit) {
            fieldLimitBytes = newLimit;
            return this;
        }

        public CsvOptions build() {
            return new CsvOptions(delimiter, quote, encoding, columns, nullText, fieldLimitBytes);
        }
    }
}
