// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Reads rows from the records of a JSON input. */
final class JsonRowReader implements RowReader {

    private final String name;
    private final SourceInput input;
    private final JsonRecords records;
    /** Records that were read to find the columns, and are not yet delivered. */
    private final ArrayDeque<JsonRecord> sample;

    private final JsonRowParser parser;
    private final JsonColumns columns;
    private long number;

    JsonRowReader(
            String name,
            SourceInput input,
            JsonRecords records,
            ArrayDeque<JsonRecord> sample,
            JsonRowParser parser,
            JsonColumns columns) {
        this.name = name;
        this.input = input;
        this.records = records;
        this.sample = sample;
        this.parser = parser;
        this.columns = columns;
    }

    @Override
    public List<Column> columns() {
        return columns.columns();
    }

    @Override
    public boolean next(Row row) {
        row.clear(0, 0);
        try {
            JsonRecord record = sample.isEmpty() ? records.next() : sample.poll();
            // Check for a cancellation also after reading: the cancellation closes the stream, and some closed streams
            // report the end of the input.
            if (!input.isCancelled()) {
                return deliver(record, row);
            }
        } catch (IOException e) {
            if (!input.isCancelled()) {
                throw failed(SourceInput.reason(e), e);
            }
        }
        throw failed("cancelled", null);
    }

    private boolean deliver(@Nullable JsonRecord record, Row row) {
        if (record == null) {
            return false;
        }
        row.clear(++number, record.line());
        parser.parse(record, columns, row);
        return true;
    }

    private SourceException failed(String why, @Nullable IOException cause) {
        return new SourceException(
                SourceException.Kind.BROKEN,
                "reading %s failed: line=%s (%s). The rows before this line were read."
                        .formatted(name, records.line(), why),
                cause);
    }

    @Override
    public OptionalDouble share() {
        return input.share();
    }

    @Override
    public void cancel() {
        input.cancel();
    }

    @Override
    public void close() {
        try {
            input.close();
        } catch (IOException e) {
            // Ignored. A failed close of a file that was only read loses no data.
        }
    }
}
