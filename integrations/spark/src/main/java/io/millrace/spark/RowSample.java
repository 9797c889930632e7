// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a task reads back from Redis before its commit. Confined to the thread of the task.
 *
 * <p>The hash of the key selects a row. So the sample has all rows of a key, or none, and the last row of a key is known. If the rows need more than {@link #MAX_BYTES}, the sample keeps half of its keys.
 */
final class RowSample {

    /** Maximum memory of the sample of a task. */
    static final long MAX_BYTES = 16L << 20;

    /** Memory of the objects of a row. */
    private static final int ROW_BYTES = 120;

    private record Kept(long hash, long number, InternalRow row, long bytes) {}

    private final @Nullable RowMapping mapping;
    private final long maxBytes;

    /** Numbers of kept rows only, so that many rejected rows need no memory. */
    private final Set<Long> refused = new HashSet<>();

    private List<Kept> kept = new ArrayList<>();
    private long threshold;
    private long bytes;

    /**
     * Creates a sample.
     *
     * @param mapping computes the keys; null for a sample without rows
     * @param share share of the keys, 0.0 to 1.0
     */
    RowSample(@Nullable RowMapping mapping, double share, long maxBytes) {
        this.mapping = mapping;
        this.threshold = (long) (share * 0x1p32);
        this.maxBytes = maxBytes;
    }

    static RowSample none() {
        return new RowSample(null, 0, 0);
    }

    /** Keeps a copy of the row if its key belongs to the sample. */
    void add(InternalRow from, Row row) {
        if (mapping == null || row.isRejected() || mapping.prepare(row).isPresent()) {
            return;
        }
        long hash = hash(mapping.key(), mapping.keyLength());
        if (hash >= threshold) {
            return;
        }
        long size = (long) row.capacity() + ROW_BYTES;
        kept.add(new Kept(hash, row.number(), from.copy(), size));
        bytes += size;
        while (bytes > maxBytes && threshold > 0) {
            threshold /= 2;
            kept = new ArrayList<>(
                    kept.stream().filter(one -> one.hash < threshold).toList());
            bytes = kept.stream().mapToLong(Kept::bytes).sum();
            refused.removeIf(number -> !isKept(number));
        }
    }

    /** Whether the sample has the row with this number. The numbers of the kept rows increase. */
    private boolean isKept(long number) {
        int low = 0;
        int high = kept.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (kept.get(middle).number < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < kept.size() && kept.get(low).number == number;
    }

    /** The server has refused the row with this number, so the row is not in Redis. */
    void refused(long number) {
        if (isKept(number)) {
            refused.add(number);
        }
    }

    /** The number of refused rows that this sample remembers. */
    int refusedRows() {
        return refused.size();
    }

    boolean isEmpty() {
        return kept.isEmpty();
    }

    /** The kept rows in their order, without the refused rows. */
    Iterator<InternalRow> rows() {
        return kept.stream()
                .filter(one -> !refused.contains(one.number))
                .map(Kept::row)
                .iterator();
    }

    /** A hash of 32 bits. */
    private static long hash(byte[] key, int length) {
        long hash = 0;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + key[i];
        }
        return (hash * 0x9E3779B97F4A7C15L) >>> 32;
    }
}
