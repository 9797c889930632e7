// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Setting.Unit;
import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.Row;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Estimates from the first rows of a load whether all rows fit into the memory of the server. The estimate counts the
 * bytes of keys, fields and values, and the least overhead of a key. So it is usually too low: a warning means that the
 * rows do not fit, unless they replace existing keys. There is no estimate for bitmaps, whose size is their largest offset.
 *
 * <p>Confined to the loading thread.
 */
final class MemoryForecast {

    /**
     * Number of rows of the sample. They are read within some ten milliseconds. The share of a file that has been read
     * counts a whole buffer of 64 KiB, so a smaller sample would give a wrong number of rows.
     */
    static final int SAMPLE = 10_000;

    /** Least memory that Redis 7 needs for a key besides its bytes: an entry of the key table, and two objects. */
    private static final int KEY_OVERHEAD_BYTES = 48;

    /** Bytes of the digest, the expiry and the two counts of a script. These arguments are not stored. */
    private static final int SCRIPT_ARGUMENTS_BYTES = 48;

    private final OptionalLong maxBytes;
    private final long usedBytes;
    private final String policy;
    private long rows;
    private long bytes;

    /** Creates the forecast for {@code target} from the section {@code memory} of INFO. */
    MemoryForecast(ServerFacts memory, Target target) {
        OptionalLong limit = memory.number("maxmemory");
        Target written = target instanceof ShadowTarget shadow ? shadow.target() : target;
        boolean isLimited = limit.orElse(0) > 0 && !(written instanceof BitmapTarget);
        this.maxBytes = isLimited ? limit : OptionalLong.empty();
        this.usedBytes = memory.number("used_memory").orElse(0);
        this.policy = memory.text("maxmemory_policy").orElse("unknown");
    }

    /** Whether the sample is incomplete and the server has a limit. */
    boolean needsRows() {
        return maxBytes.isPresent() && rows < SAMPLE;
    }

    /** Adds {@code row}, which {@code mapping} has prepared, to the sample. */
    void add(RowMapping mapping, Row row) {
        boolean scripted = mapping.repeatedCommand() != mapping.command();
        boolean sharesKey =
                mapping.keyAndFieldLength() > mapping.keyLength() || mapping.repetition() == Repetition.ADDS_ROW_AGAIN;
        ArgumentBytes arguments = new ArgumentBytes();
        mapping.writeRepeated(row, arguments);
        rows++;
        bytes += arguments.bytes - mapping.sharedBytes() - (scripted ? SCRIPT_ARGUMENTS_BYTES : 0);
        bytes += sharesKey ? -mapping.keyLength() : KEY_OVERHEAD_BYTES;
    }

    /** Counts the bytes of the arguments of a command. */
    private static final class ArgumentBytes implements ArgumentSink {

        private long bytes;

        @Override
        public ArgumentSink arg(byte[] argument, int offset, int length) {
            bytes += length;
            return this;
        }
    }

    /**
     * A warning if the rows will not fit; empty if they may fit, or if their number is unknown.
     *
     * @param expectedRows number of rows of the load, if it is known exactly
     * @param share share of the source that has been read
     */
    Optional<String> warning(OptionalLong expectedRows, OptionalDouble share) {
        if (rows == 0 || maxBytes.isEmpty()) {
            return Optional.empty();
        }
        long total = totalRows(expectedRows, share);
        double needed = (double) total * bytes / rows;
        long free = Math.max(0, maxBytes.getAsLong() - usedBytes);
        if (needed <= (double) free) {
            return Optional.empty();
        }
        String then = policy.equals("noeviction") ? "rows will be refused (OOM)" : "keys will be evicted";
        return Optional.of("the rows need more memory than the server has, so " + then + ": needed=at least "
                + megabytes(needed) + ", free=" + megabytes((double) free) + ", maxmemory="
                + megabytes((double) maxBytes.getAsLong()) + ", maxmemory-policy=" + policy + ", rows=about "
                + Unit.COUNT.text(total)
                + ". Raise maxmemory, or load fewer rows. Rows that replace existing keys need less.");
    }

    /** Estimates the number of all rows; 0 if nothing is known. */
    private long totalRows(OptionalLong expectedRows, OptionalDouble share) {
        if (expectedRows.isPresent()) {
            return expectedRows.getAsLong();
        }
        return share.isPresent() && share.getAsDouble() > 0 ? Math.round(rows / share.getAsDouble()) : 0;
    }

    private static String megabytes(double size) {
        return Unit.BYTES.text(Math.max(1, Math.round(size / (1 << 20))) << 20);
    }
}
