// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * The closed account of a load. Its constructor refuses numbers that do not add up.
 *
 * @param fusion how many of the commands went out as part of another
 * @param seconds from opening the source to the last reply to a row; verification comes after
 * @param cpuSeconds of this process in that time
 * @param bytesSent to Redis
 * @param peakInFlight the most commands in flight on each connection, added up
 * @param server empty for a dry run
 */
public record LoadReport(
        Ending ending,
        RowCounts rows,
        CommandCounts commands,
        FusionCounts fusion,
        double seconds,
        double cpuSeconds,
        long bytesSent,
        long peakInFlight,
        Times time,
        Bottleneck bottleneck,
        Optional<Verified> verified,
        Optional<Server> server) {

    public LoadReport {
        if (rows.inFlight() != 0) {
            throw new IllegalArgumentException("rows do not add up: " + rows);
        }
        if (commands.pending() != 0) {
            throw new IllegalArgumentException("commands do not add up: " + commands);
        }
        LongStream counts = LongStream.of(
                rows.read(),
                rows.written(),
                rows.rejected(),
                rows.skipped(),
                rows.unconfirmed(),
                bytesSent,
                peakInFlight);
        if (counts.anyMatch(count -> count < 0)) {
            throw new IllegalArgumentException("a count is negative: rows=" + rows + ", bytesSent=" + bytesSent
                    + ", peakInFlight=" + peakInFlight);
        }
        DoubleStream durations =
                DoubleStream.of(seconds, cpuSeconds, time.source(), time.mapping(), time.window(), time.socket());
        if (durations.anyMatch(duration -> !(duration >= 0 && duration < Double.POSITIVE_INFINITY))) {
            throw new IllegalArgumentException(
                    "a time is no time: seconds=" + seconds + ", cpuSeconds=" + cpuSeconds + ", time=" + time);
        }
    }

    /** How a load came to its end. */
    public sealed interface Ending {

        /**
         * The source was read to its end, or to the limit, and whatever was asked for was done. What became of each row is in
         * {@link #rows}; there may be rejected rows, and unconfirmed ones, of which {@link #doubt} tells why.
         */
        record Completed() implements Ending {}

        /** An error, or the limit of errors, ended the job before all of it was done; the verification is a part of it. */
        record Stopped(String why) implements Ending {}

        /** Somebody asked the job to stop, or interrupted its thread. */
        record Interrupted() implements Ending {}
    }

    /** Seconds the reading thread spent reading, mapping and waiting for the window; and the writers in the socket. */
    public record Times(double source, double mapping, double window, double socket) {}

    /** What the load waited for most. */
    public enum Bottleneck {
        SOURCE,
        MAPPING,
        SERVER,
        NETWORK
    }

    /**
     * Rows that were read back, and how many of them were not as they should be. Absent where verification was not asked for,
     * or broke off.
     */
    public record Verified(long checked, long mismatched) {}

    /**
     * The server that was loaded.
     *
     * @param version such as {@code 7.0.15}
     * @param mode such as {@code standalone}
     */
    public record Server(String version, String mode) {}

    /** Why rows are unconfirmed, and what to do, in one line; empty if none are. */
    public Optional<String> doubt() {
        if (rows.unconfirmed() == 0) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%,d rows may or may not have been written: %,d commands had no reply in time, %,d were lost with their"
                        + " connection. Load them again; writing the same row twice changes nothing.",
                rows.unconfirmed(),
                commands.timedOut(),
                commands.lost()));
    }

    /** Rows written per second, rounded. */
    public long rowsPerSecond() {
        return seconds > 0 ? Math.round(rows.written() / seconds) : 0;
    }

    /**
     * The account in one line, the last that a load prints:
     * {@code rows: 1000000, written: 999998, rejected: 2, skipped: 0, unconfirmed: 0, 4.31 s, 232,018 rows/s}. The same in
     * every locale.
     */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "rows: %d, written: %d, rejected: %d, skipped: %d, unconfirmed: %d, %.2f s, %,d rows/s",
                rows.read(),
                rows.written(),
                rows.rejected(),
                rows.skipped(),
                rows.unconfirmed(),
                seconds,
                rowsPerSecond());
    }
}
