// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Rows of a CSV or TSV file, or of a stream in this format (RFC 4180).
 *
 * <p>Values are {@link Row.Kind#TEXT} or {@link Row.Kind#NULL}, because CSV has no other kinds, unless {@link
 * CsvOptions#types} names other kinds. UTF-8 bytes are not converted. A byte order mark at the beginning of the file is
 * skipped. An empty line is not a record. A file or stream that is compressed with gzip or Zstandard is decompressed.
 *
 * <p>A row is rejected if its number of fields differs from the number of columns, or if it has text after a closing
 * quote, a field that is invalid in the encoding, or a field above {@link CsvOptions#fieldLimitBytes}. Reading
 * continues with the next record. If a quote is never closed, its field contains the rest of the input, so its row is
 * the last row. This row is rejected, and the next call of {@link RowReader#next} throws {@link
 * SourceException.Kind#BROKEN}. If a field is too long or its quote is never closed, only the first KiB of the field is
 * kept in memory.
 */
public final class CsvSource implements RowSource {

    private static final byte[] UTF8_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] UTF16_LE_MARK = {(byte) 0xFF, (byte) 0xFE};
    private static final byte[] UTF16_BE_MARK = {(byte) 0xFE, (byte) 0xFF};

    private final String name;
    private final CsvOptions options;
    private final boolean readableAgain;
    private final Supplier<Map<String, String>> identity;
    private final SourceInput.Opener opener;

    private CsvSource(
            String name,
            CsvOptions options,
            boolean readableAgain,
            Supplier<Map<String, String>> identity,
            SourceInput.Opener opener) {
        this.name = name;
        this.options = options;
        this.readableAgain = readableAgain;
        this.identity = identity;
        this.opener = opener;
    }

    /** The file {@code path}. A pipe or another special file can be read only once. */
    public static CsvSource of(Path path, CsvOptions options) {
        boolean readableAgain = !Files.exists(path) || Files.isRegularFile(path);
        return new CsvSource(
                path.toString(),
                options,
                readableAgain,
                () -> FileIdentity.of(path, options),
                () -> SourceInput.open(path));
    }

    /**
     * The stream {@code in}, such as standard input. The source can be opened once, and does not close the stream.
     *
     * <p>Only {@link RowReader#cancel} closes the stream. The close ends a blocked read if the stream belongs to a
     * socket or a channel. The close does not end a blocked read of a plain {@code FileInputStream}: the owner of such
     * a stream must end the read. For standard input, use {@code Channels.newInputStream(new
     * FileInputStream(FileDescriptor.in).getChannel())}.
     *
     * @param name name of the source; its ending selects the delimiter, as the ending of a file name does
     */
    public static CsvSource of(InputStream in, String name, CsvOptions options) {
        AtomicBoolean opened = new AtomicBoolean();
        return new CsvSource(name, options, false, () -> FileIdentity.ofStream(options), () -> {
            if (opened.getAndSet(true)) {
                throw new IOException("the stream can be read only once");
            }
            return SourceInput.borrowed(in);
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean readableAgain() {
        return readableAgain;
    }

    @Override
    public Map<String, String> identity() {
        return identity.get();
    }

    /** The name of the file or of the stream, and how it is read. */
    @Override
    public String toString() {
        return "CsvSource[name=" + name + ", options=" + options + "]";
    }

    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /** The same. A cancellation ends a blocked read of the header. */
    @Override
    public RowReader open(OpeningListener listener) {
        try {
            SourceInput in = opener.open();
            listener.opening(in::cancel);
            try {
                return open(in);
            } catch (IOException | RuntimeException e) {
                in.close();
                throw e;
            }
        } catch (IOException e) {
            throw SourceInput.unusable(name, e);
        }
    }

    private RowReader open(SourceInput in) throws IOException {
        boolean utf8 = options.encoding().equals(StandardCharsets.UTF_8);
        CsvTokenizer tokens = new CsvTokenizer(
                utf8 ? in : new Utf8Transcoder(in, options.encoding()),
                options.delimiterFor(name),
                options.quote().map(c -> (int) c).orElse(CsvTokenizer.NO_QUOTE),
                options.comment().map(c -> (int) c).orElse(CsvTokenizer.NO_COMMENT),
                options.fieldLimitBytes());
        if (utf8 && (tokens.skip(UTF16_LE_MARK) || tokens.skip(UTF16_BE_MARK))) {
            throw new SourceException(
                    Kind.UNUSABLE,
                    "cannot read %s: it is UTF-16. Set the encoding: --encoding UTF-16.".formatted(name));
        }
        tokens.skip(UTF8_MARK);
        for (int i = 0; i < options.skipLines() && tokens.skipLine(); i++) {
            // The line is skipped.
        }
        List<Column> columns = CsvHeader.columns(name, tokens, options);
        return new CsvRowReader(name, tokens, in, options, columns, CsvTyping.of(name, columns, options.types()));
    }
}
