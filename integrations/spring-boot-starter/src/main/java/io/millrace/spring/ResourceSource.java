// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.source.Column;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.OptionalDouble;
import org.springframework.core.io.Resource;

/**
 * Rows of a CSV file that is not in the file system, such as a file in a jar.
 *
 * @param name location of the file; its ending selects the delimiter
 */
record ResourceSource(Resource resource, String name, CsvOptions options) implements RowSource {

    /** Each opening reads the resource again. */
    @Override
    public boolean readableAgain() {
        return true;
    }

    @Override
    public RowReader open() {
        InputStream in;
        try {
            in = resource.getInputStream();
        } catch (IOException unreadable) {
            throw new SourceException(
                    Kind.UNUSABLE, "cannot read " + name + ": " + unreadable.getMessage() + ".", unreadable);
        }
        try {
            return new ResourceRowReader(CsvSource.of(in, name, options).open(), in);
        } catch (RuntimeException failed) {
            close(in);
            throw failed;
        }
    }

    private static void close(InputStream in) {
        try {
            in.close();
        } catch (IOException unclosed) {
            // The stream was only read, so nothing is lost.
        }
    }

    /** Closes the stream with the reader, because the reader of a stream leaves it open. */
    private static final class ResourceRowReader implements RowReader {

        private final RowReader reader;
        private final InputStream in;

        ResourceRowReader(RowReader reader, InputStream in) {
            this.reader = reader;
            this.in = in;
        }

        @Override
        public List<Column> columns() {
            return reader.columns();
        }

        @Override
        public boolean next(Row row) {
            return reader.next(row);
        }

        @Override
        public void cancel() {
            reader.cancel();
        }

        @Override
        public OptionalDouble share() {
            return reader.share();
        }

        @Override
        public void close() {
            reader.close();
            ResourceSource.close(in);
        }
    }
}
