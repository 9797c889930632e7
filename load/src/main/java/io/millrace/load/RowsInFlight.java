// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a connection whose commands have no outcome yet. Each row has a free place, whose index is the tag of its
 * command: the outcomes of a cluster arrive in another order than the commands were sent. Confined to the loading thread.
 *
 * <p>An outcome often finds its row no longer in the cache of the processor. So the facts of a row that its outcome needs
 * are beside its place.
 */
final class RowsInFlight {

    private static final int NONE = -1;

    private @Nullable Row[] rows;

    /** The capacities of the rows. */
    private int[] capacities;

    /** The number and the line of each row. */
    private long[] numbers;

    private String[] files;

    /** The next free place of each free place. */
    private int[] next;

    private int free;
    private long bytes;

    /** Creates places for {@code expected} rows. There are more places if more rows are added. */
    RowsInFlight(int expected) {
        int size = Math.max(2, expected);
        rows = new Row[size];
        capacities = new int[size];
        numbers = new long[2 * size];
        files = new String[size];
        Arrays.fill(files, "");
        next = new int[size];
        addFree(0);
    }

    private void addFree(int from) {
        for (int i = from; i < next.length; i++) {
            next[i] = i + 1 < next.length ? i + 1 : NONE;
        }
        free = from;
    }

    /** Adds {@code row}, and returns its tag. */
    long add(Row row) {
        if (free == NONE) {
            int size = rows.length;
            rows = Arrays.copyOf(rows, 2 * size);
            capacities = Arrays.copyOf(capacities, 2 * size);
            numbers = Arrays.copyOf(numbers, 4 * size);
            files = Arrays.copyOf(files, 2 * size);
            Arrays.fill(files, size, 2 * size, "");
            next = Arrays.copyOf(next, 2 * size);
            addFree(size);
        }
        int place = free;
        free = next[place];
        int capacity = row.capacity();
        rows[place] = row;
        capacities[place] = capacity;
        numbers[2 * place] = row.number();
        numbers[2 * place + 1] = row.line();
        String file = row.file();
        if (!file.equals(files[place])) {
            files[place] = file;
        }
        bytes += capacity;
        return place;
    }

    /** Number of bytes that the row with this tag occupied when it was added. */
    int capacity(long tag) {
        return capacities[(int) tag];
    }

    /** Tells {@code server} that it has acknowledged the row that has, or last had, this tag. */
    void acknowledged(long tag, ServerRows server) {
        int place = (int) tag;
        server.acknowledged(numbers[2 * place], numbers[2 * place + 1], files[place]);
    }

    /** Removes and returns the row with this tag. */
    Row remove(long tag) {
        int place = (int) tag;
        Row row = Objects.requireNonNull(rows[place]);
        rows[place] = null;
        next[place] = free;
        free = place;
        bytes -= capacities[place];
        return row;
    }

    /** Number of bytes that all rows occupied when they were added. */
    long bytes() {
        return bytes;
    }
}
