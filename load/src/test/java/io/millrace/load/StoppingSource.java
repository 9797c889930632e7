// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowOrder;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import java.util.List;
import java.util.Map;

/** The rows of another source. After some rows, the source stops its load. */
record StoppingSource(RowSource source, long rows, Runnable stop) implements RowSource {

    static RowSource after(RowSource source, long rows, Runnable stop) {
        return new StoppingSource(source, rows, stop);
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public Map<String, String> identity() {
        return source.identity();
    }

    @Override
    public RowOrder order() {
        return source.order();
    }

    @Override
    public boolean readableAgain() {
        return source.readableAgain();
    }

    @Override
    public RowReader open() {
        RowReader reader = source.open();
        return new RowReader() {
            private long read;

            @Override
            public List<Column> columns() {
                return reader.columns();
            }

            @Override
            public boolean next(Row row) {
                if (read++ == rows) {
                    stop.run();
                }
                return reader.next(row);
            }

            @Override
            public void cancel() {
                // The load ends after this row.
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }
}
