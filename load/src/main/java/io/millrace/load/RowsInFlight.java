// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a connection whose commands have no outcome yet. Each row has a free place, whose index is the tag of its
 * command: the outcomes of a cluster arrive in another order than the commands were sent. Confined to the loading thread.
 */
final class RowsInFlight {

    private static final int NONE = -1;

    private @Nullable Row[] rows;

    /** The capacities of the rows. An outcome often finds its row no longer in the cache of the processor. */
    private int[] capacities;

    /** The next free place of each free place. */
    private int[] next;

    private int free;
    private long bytes;

    /** Creates places for {@code expected} rows. There are more places if more rows are added. */
    RowsInFlight(int expected) {
        int size = Math.max(2, expected);
        rows = new Row[size];
        capacities = new int[size];
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
            next = Arrays.copyOf(next, 2 * size);
            addFree(size);
        }
        int place = free;
        free = next[place];
        int capacity = row.capacity();
        rows[place] = row;
        capacities[place] = capacity;
        bytes += capacity;
        return place;
    }

    /** Number of bytes that the row with this tag occupied when it was added. */
    int capacity(long tag) {
        return capacities[(int) tag];
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
