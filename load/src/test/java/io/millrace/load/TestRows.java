// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Sources of rows that are made as they are read: {@code id}, from 0, and {@code name}, unless other columns are named. */
final class TestRows {

    private TestRows() {}

    /** Fills a row; may throw what a source would. */
    interface Maker {
        /** Returns false at the end. */
        boolean make(Row row, int opening, long id);
    }

    static RowSource of(Maker maker) {
        return of(List.of("id", "name"), maker);
    }

    /** The same for rows of other columns. */
    static RowSource of(List<String> columns, Maker maker) {
        return new Made(columns.stream().map(Column::new).toList(), maker);
    }

    /** These rows, each a list of values: text, bytes, or null for NULL. */
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

    /** Rows without end. */
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

    /** The rows of {@code source}, with something done before those openings, counted from 1, that are {@code wanted}. */
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
                if (wanted.test(++openings[0])) {
                    action.run();
                }
                return source.open();
            }
        };
    }

    /** The rows of {@code source}, with each opening and closing of a reader told. */
    static RowSource watched(RowSource source, Consumer<String> told) {
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
                told.accept("open");
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
                        told.accept("close");
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
