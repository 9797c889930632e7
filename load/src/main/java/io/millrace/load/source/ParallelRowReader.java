// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the parts of a source at the same time, each with a thread of its own.
 *
 * <pre>
 *   part 1 --RowReader--> thread 1 --+
 *   part 2 --RowReader--> thread 2 --+--RowExchange--> next(row)
 *   part 3 --RowReader--> thread 3 --+
 * </pre>
 *
 * <p>The rows of a part keep their order. The order between the parts depends on their speed. {@link Row#number} counts
 * the rows in the order of delivery.
 */
final class ParallelRowReader implements RowReader {

    private final String name;
    private final RowExchange exchange;
    private final List<PartReader> parts = new ArrayList<>();
    private final SourceSize size;
    private final AtomicLong delivered = new AtomicLong();
    private List<Column> columns = List.of();
    private RowBatch current = new RowBatch();
    private long number;

    private ParallelRowReader(String name, List<? extends RowSource> sources, SourceSize size) {
        this.name = name;
        this.size = size;
        this.exchange = new RowExchange(sources.size());
        for (int i = 0; i < sources.size(); i++) {
            parts.add(new PartReader(sources.get(i), exchange, i + 1));
        }
    }

    /**
     * Opens {@code sources}, which have the same columns. Blocks until all of them are open.
     *
     * @param size the size of all sources
     * @throws SourceException if one of them cannot be opened; then all are closed
     */
    static ParallelRowReader open(
            String name, List<? extends RowSource> sources, SourceSize size, OpeningListener listener) {
        ParallelRowReader reader = new ParallelRowReader(name, sources, size);
        listener.opening(reader::cancel);
        reader.parts.forEach(PartReader::start);
        try {
            reader.exchange.awaitOpened();
            reader.columns = reader.parts.getFirst().columns();
            return reader;
        } catch (InterruptedException e) {
            reader.close();
            throw reader.interrupted();
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public boolean next(Row row) {
        row.clear(0, 0);
        try {
            while (!current.next(row)) {
                Optional<RowBatch> next = exchange.exchange(current, parts);
                if (next.isEmpty()) {
                    return false;
                }
                current = next.get();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        row.place(++number, row.file());
        delivered.lazySet(number);
        return true;
    }

    private SourceException interrupted() {
        Thread.currentThread().interrupt();
        return cancelled();
    }

    private SourceException cancelled() {
        return new SourceException(Kind.BROKEN, "reading " + name + " was cancelled after " + delivered + " rows");
    }

    @Override
    public void cancel() {
        exchange.fail(cancelled());
        cancelParts();
    }

    /** Cancels the parts at the same time, because a database may need seconds for each of them. Blocks until the end. */
    private void cancelParts() {
        List<Thread> cancelling = parts.stream()
                .map(part -> Thread.ofVirtual().name("millrace-cancel").start(part::cancel))
                .toList();
        try {
            for (Thread thread : cancelling) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public OptionalLong expectedRows() {
        return size.exact();
    }

    @Override
    public OptionalDouble share() {
        return size.share(delivered.get());
    }

    /** Cancels the parts that have not ended, and waits for their threads. */
    @Override
    public void close() {
        exchange.close();
        cancelParts();
        parts.forEach(PartReader::awaitEnd);
    }
}
