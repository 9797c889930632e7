// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.Setting;
import io.millrace.load.target.Repetition;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * The report of a load that has ended. The constructor refuses inconsistent counts.
 *
 * @param fusion number of commands that were sent as part of a fused command
 * @param seconds time from opening the source to the reply to the command of the last row; the verification is not included
 * @param cpuSeconds CPU seconds that this process used during {@code seconds}
 * @param bytesSent bytes sent to Redis
 * @param peakInFlight maximum number of commands in flight on each connection, summed over the connections
 * @param server name and version of the Redis server; empty for a dry run
 * @param repetition the effect of loading the same rows a second time
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
        Optional<Server> server,
        Repetition repetition) {

    /** Creates a report of a load whose rows can be loaded again without a change. */
    public LoadReport(
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
        this(
                ending,
                rows,
                commands,
                fusion,
                seconds,
                cpuSeconds,
                bytesSent,
                peakInFlight,
                time,
                bottleneck,
                verified,
                server,
                Repetition.CHANGES_NOTHING);
    }

    public LoadReport {
        if (rows.inFlight() != 0) {
            throw new IllegalArgumentException("row counts are inconsistent: " + rows);
        }
        if (commands.pending() != 0) {
            throw new IllegalArgumentException("command counts are inconsistent: " + commands);
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
            throw new IllegalArgumentException("a duration is negative or not finite: seconds=" + seconds
                    + ", cpuSeconds=" + cpuSeconds + ", time=" + time);
        }
    }

    /** How a load ended. */
    public sealed interface Ending {

        /**
         * The load read the source to its end or up to the row limit, and did everything that the options ask for. Even
         * then, some rows may be rejected or unconfirmed: see {@link #rows} and {@link #unconfirmedReason}.
         */
        record Completed() implements Ending {}

        /** The load or its verification ended early, because of an error or because too many rows were rejected. */
        record Stopped(String why) implements Ending {}

        /** A caller stopped the load or interrupted its thread. */
        record Interrupted() implements Ending {}
    }

    /**
     * The time of a load in seconds. The loading thread spent {@code source} on reading rows, {@code mapping} on
     * mapping rows to commands, and {@code window} on waiting for the window. The writer threads spent {@code socket}
     * in socket calls.
     */
    public record Times(double source, double mapping, double window, double socket) {

        /** The times in one line: {@code source 0.41 s, mapping 0.30 s, window 2.10 s, socket 0.12 s}. */
        public String summary() {
            return "source " + text(source) + ", mapping " + text(mapping) + ", window " + text(window) + ", socket "
                    + text(socket);
        }

        /**
         * Formats a time: {@code 4.31 s}. Does not use {@link String#format}, whose first call loads the formats of the
         * locale.
         */
        static String text(double seconds) {
            return BigDecimal.valueOf(seconds).setScale(2, RoundingMode.HALF_UP).toPlainString() + " s";
        }
    }

    /** The part of the work that the load waited for most. */
    public enum Bottleneck {
        SOURCE,
        MAPPING,
        SERVER,
        NETWORK
    }

    /** The number of rows that were read back, and the number of these rows that differ from the source. */
    public record Verified(long checked, long mismatched) {}

    /**
     * The server that the rows were written to.
     *
     * @param version version, such as {@code 7.0.15}
     * @param mode mode, such as {@code standalone}
     */
    public record Server(String version, String mode) {}

    /** One line that says why rows are unconfirmed and what the user can do; empty if no row is unconfirmed. */
    public Optional<String> unconfirmedReason() {
        if (rows.unconfirmed() == 0) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%,d rows may or may not have been written: %,d commands had no reply in time, %,d commands were lost"
                        + " with their connection. %s",
                rows.unconfirmed(),
                commands.timedOut(),
                commands.lost(),
                switch (repetition) {
                    case CHANGES_NOTHING -> "Load these rows again; writing the same row twice changes nothing.";
                    case LEAVES_ROW_OUT -> "Load these rows again; a row that was written is then left out.";
                    case ADDS_ROW_AGAIN ->
                        "Do not load these rows again before you have checked the key: a row that was written"
                                + " would be added a second time.";
                }));
    }

    /**
     * One line that says that a repeated load would add rows a second time; empty if a repeated load is harmless, or if
     * every row that was read has been written and nothing is left to repeat.
     */
    public Optional<String> repetitionWarning() {
        boolean isComplete =
                ending instanceof Ending.Completed && rows.rejected() == 0 && rows.skipped() == 0 && rows.unconfirmed() == 0;
        if (repetition != Repetition.ADDS_ROW_AGAIN || isComplete || rows.written() + rows.unconfirmed() == 0) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "a repeated load of the same source would add %,d rows a second time%s."
                        + " Load only the other rows, or delete the keys first.",
                rows.written(),
                rows.unconfirmed() == 0 ? "" : String.format(Locale.ROOT, ", and perhaps %,d more", rows.unconfirmed())));
    }

    /** Rows written per second, rounded. */
    public long rowsPerSecond() {
        return seconds > 0 ? Math.round(rows.written() / seconds) : 0;
    }

    /**
     * The row counts in one line. This is the last line that a load prints: {@code rows: 1000000, written: 999998,
     * rejected: 2, skipped: 0, unconfirmed: 0, 4.31 s, 232,018 rows/s}. The format does not depend on the locale.
     */
    public String summary() {
        return "rows: " + rows.read() + ", written: " + rows.written() + ", rejected: " + rows.rejected()
                + ", skipped: "
                + rows.skipped() + ", unconfirmed: " + rows.unconfirmed() + ", " + Times.text(seconds) + ", "
                + Setting.Unit.COUNT.text(rowsPerSecond()) + " rows/s";
    }
}
