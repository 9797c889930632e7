// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.OpeningListener;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowOrder;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Sources of generated rows. The default columns are {@code id}, counted from 0, and {@code name}. */
final class TestRows {

    private TestRows() {}

    /** Fills a row. May throw the exceptions of a source. */
    interface Maker {
        /** Returns false at the end. */
        boolean make(Row row, int opening, long id);
    }

    static RowSource of(Maker maker) {
        return of(List.of("id", "name"), maker);
    }

    /** A source with the given columns. */
    static RowSource of(List<String> columns, Maker maker) {
        return new Made(columns.stream().map(Column::new).toList(), maker);
    }

    /** A source of the given rows. A value is text, bytes, or null for NULL. */
    static RowSource of(List<String> columns, List<List<@Nullable Object>> rows) {
        return of(columns, (row, opening, id) -> {
            if (id == rows.size()) {
                return false;
            }
            row.clear(id + 1, 0);
            rows.get((int) id).forEach(value -> add(row, value));
            return true;
        });
    }

    private static void add(Row row, @Nullable Object value) {
        switch (value) {
            case null -> row.addNull();
            case byte[] bytes -> row.add(Row.Kind.BYTES, bytes);
            default -> row.add(Row.Kind.TEXT, value.toString());
        }
    }

    /** A source that does not end. */
    static RowSource endless() {
        return count(Long.MAX_VALUE);
    }

    static RowSource count(long count) {
        return of((row, opening, id) -> id < count && fill(row, id, "Customer " + id));
    }

    static boolean fill(Row row, long id, String name) {
        row.clear(id + 1, 0);
        row.add(id);
        row.add(Row.Kind.TEXT, name);
        return true;
    }

    /** A source with the rows of {@code source} that says that their order may change. */
    static RowSource unordered(RowSource source) {
        return new RowSource() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public boolean readableAgain() {
                return source.readableAgain();
            }

            @Override
            public RowOrder order() {
                return RowOrder.AS_READ;
            }

            @Override
            public RowReader open() {
                return source.open();
            }
        };
    }

    /**
     * A source with the rows of {@code source}. Runs {@code action} before the source is opened, if {@code wanted}
     * accepts the number of the opening (1 for the first opening).
     */
    static RowSource before(RowSource source, IntPredicate wanted, Runnable action) {
        int[] openings = {0};
        return new RowSource() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public boolean readableAgain() {
                return source.readableAgain();
            }

            @Override
            public RowReader open() {
                return open(cancel -> {});
            }

            @Override
            public RowReader open(OpeningListener listener) {
                if (wanted.test(++openings[0])) {
                    action.run();
                }
                return source.open(listener);
            }
        };
    }

    /**
     * A source with the rows of {@code source}. Reports each opening and each closing of a reader to {@code events}.
     */
    static RowSource recorded(RowSource source, Consumer<String> events) {
        return new RowSource() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public boolean readableAgain() {
                return source.readableAgain();
            }

            @Override
            public RowReader open() {
                events.accept("open");
                RowReader reader = source.open();
                return new RowReader() {
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
                    public void close() {
                        events.accept("close");
                        reader.close();
                    }
                };
            }
        };
    }

    private static final class Made implements RowSource {
        private final List<Column> columns;
        private final Maker maker;
        private int openings;

        Made(List<Column> columns, Maker maker) {
            this.columns = columns;
            this.maker = maker;
        }

        @Override
        public String name() {
            return "made rows";
        }

        @Override
        public boolean readableAgain() {
            return true;
        }

        @Override
        public RowReader open() {
            int opening = ++openings;
            return new RowReader() {
                private long next;

                @Override
                public List<Column> columns() {
                    return columns;
                }

                @Override
                public boolean next(Row row) {
                    return maker.make(row, opening, next++);
                }

                @Override
                public void cancel() {
                    // Never blocks.
                }

                @Override
                public void close() {}
            };
        }
    }
}
