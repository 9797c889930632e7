// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.client.RedisUri;
import io.millrace.client.Setting;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.Target;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * The report of a job that has ended: of a load, a verification or a dry run. The constructor refuses inconsistent
 * counts.
 *
 * @param fusion number of commands that were sent as part of a fused command
 * @param seconds time from opening the source to the reply to the command of the last row; the verification is not included
 * @param cpuSeconds CPU seconds that this process used during {@code seconds}
 * @param bytesSent bytes sent to Redis
 * @param peakInFlight maximum number of commands in flight on each connection, summed over the connections
 * @param server name and version of the Redis server; empty for a dry run
 */
public record LoadReport(
        Ending ending,
        Job job,
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
        Details details) {

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

        /** The load ended early, because of an error or because too many rows were rejected. */
        record Stopped(String why) implements Ending {}

        /** The load was completed, and only its verification ended early, because of an error. */
        record Unverified(String why) implements Ending {}

        /** A caller stopped the load or interrupted its thread. */
        record Interrupted() implements Ending {}

        /** The job has no result: the source or the server could not be opened, or the job failed unexpectedly. */
        record Failed(String why) implements Ending {}

        /** Why the job did not complete; empty if it was completed or interrupted. */
        default Optional<String> reason() {
            return switch (this) {
                case Stopped stopped -> Optional.of(stopped.why());
                case Unverified unverified -> Optional.of(unverified.why());
                case Failed failed -> Optional.of(failed.why());
                case Completed completed -> Optional.empty();
                case Interrupted interrupted -> Optional.empty();
            };
        }
    }

    /**
     * What the job was. Contains no secrets.
     *
     * @param source name of the source
     * @param target server, type and key, such as {@code redis://cache:6379 hash customer:{id}}
     * @param started time at which the job was started
     */
    public record Job(Kind kind, String source, String target, Instant started) {

        /** The kinds of jobs. */
        public enum Kind {
            /** Rows are written, and verified if the options ask for this. */
            LOAD,
            /** Rows are compared with Redis, and nothing is written. */
            VERIFICATION,
            /** Rows are read and mapped, and Redis is not contacted. */
            DRY_RUN
        }

        /** The load or dry run of {@code plan} into the server at {@code uri}. It starts now. */
        public static Job of(LoadPlan plan, RedisUri uri) {
            return of(plan.options().dryRun() ? Kind.DRY_RUN : Kind.LOAD, plan, uri);
        }

        /** A job of the given kind. It starts now. */
        public static Job of(Kind kind, LoadPlan plan, RedisUri uri) {
            Target target = plan.target();
            return new Job(
                    kind,
                    plan.source().name(),
                    uri + " " + target.type() + " " + target.options().key(),
                    Instant.now());
        }
    }

    /**
     * Facts that most loads do not have.
     *
     * @param rowsPerKey present if several rows were sent to the same key
     * @param unconfirmedRows ranges of the source that contain the unconfirmed rows, in the order of the source
     * @param takenBackRows number of the unconfirmed rows that the server had acknowledged: a failover or a restart of the
     *     server may have taken them back
     * @param evictedKeys number of keys that the server evicted during the load
     * @param warnings the warnings of the job, at most 20
     * @param repetition the effect of loading the same rows a second time
     * @param reloaded how old data was replaced; empty if the load only writes its rows
     * @param checkpoint the checkpoint of the load, if it has one
     * @param nodes the commands of each node of a cluster; empty for another server
     */
    public record Details(
            Optional<RowsPerKey> rowsPerKey,
            List<RowRange> unconfirmedRows,
            long takenBackRows,
            long evictedKeys,
            List<String> warnings,
            Repetition repetition,
            Optional<ReloadResult> reloaded,
            Optional<Checkpoint> checkpoint,
            List<NodeCounts> nodes) {

        /** A job without such facts. */
        public static final Details NONE = new Details(
                Optional.empty(),
                List.of(),
                0,
                0,
                List.of(),
                Repetition.CHANGES_NOTHING,
                Optional.empty(),
                Optional.empty());

        public Details {
            unconfirmedRows = List.copyOf(unconfirmedRows);
            warnings = List.copyOf(warnings);
            nodes = List.copyOf(nodes);
        }

        /** The details of a job whose server is no cluster. */
        public Details(
                Optional<RowsPerKey> rowsPerKey,
                List<RowRange> unconfirmedRows,
                long takenBackRows,
                long evictedKeys,
                List<String> warnings,
                Repetition repetition,
                Optional<ReloadResult> reloaded,
                Optional<Checkpoint> checkpoint) {
            this(
                    rowsPerKey,
                    unconfirmedRows,
                    takenBackRows,
                    evictedKeys,
                    warnings,
                    repetition,
                    reloaded,
                    checkpoint,
                    List.of());
        }

        /** Returns a copy with the commands of each node of a cluster. */
        public Details withNodes(List<NodeCounts> newNodes) {
            return new Details(
                    rowsPerKey,
                    unconfirmedRows,
                    takenBackRows,
                    evictedKeys,
                    warnings,
                    repetition,
                    reloaded,
                    checkpoint,
                    newNodes);
        }

        /** Number of submissions that the nodes of a cluster have redirected. */
        public long redirects() {
            return nodes.stream().mapToLong(NodeCounts::redirected).sum();
        }
    }

    /**
     * Numbers of a load in which several rows have the same key. Of these rows, only the last one remains, or only the
     * first one if a {@linkplain Repetition#LEAVES_ROW_OUT repeated row is left out}. If the order of the source is
     * {@link io.millrace.load.source.RowOrder#NONE}, any one of them remains. If rows are fields of a
     * hash, a key in this sense is a key with its field.
     *
     * @param rows number of rows that were sent
     * @param keys number of their keys
     * @param exact whether {@code keys} is exact; otherwise it is an estimate with an error of about 1 %
     */
    public record RowsPerKey(long rows, long keys, boolean exact) {}

    /**
     * The checkpoint of a load after its end.
     *
     * @param name the name of the checkpoint
     * @param place the path of its file, or its key in Redis
     * @param resumedAfter number of rows that earlier loads had done
     * @param rows number of rows that are done, from the first row of the source
     */
    public record Checkpoint(String name, String place, long resumedAfter, long rows, State state) {

        /** What the next load with this checkpoint does. */
        public enum State {
            /** It continues after {@link #rows}. */
            CAN_RESUME,
            /** It finds that all rows are loaded, and loads no row. */
            COMPLETE,
            /** It begins with the first row, because all rows were loaded and the checkpoint was removed. */
            REMOVED,
            /** Unknown: during this load, another load took over the checkpoint, or the server lost it. */
            LOST
        }

        /** One line that says how the load can be continued; empty if there is nothing to continue. */
        public Optional<String> advice() {
            return switch (state) {
                case CAN_RESUME ->
                    Optional.of("checkpoint: the first " + Setting.Unit.COUNT.text(rows) + " rows are done (" + place
                            + "). Run the same command with --resume to continue.");
                case COMPLETE ->
                    Optional.of("checkpoint: all " + Setting.Unit.COUNT.text(rows)
                            + " rows are loaded. The key " + place
                            + " remains, so that a repeated command adds no row twice. To load the same rows again,"
                            + " delete this key.");
                case REMOVED, LOST -> Optional.empty();
            };
        }
    }

    /**
     * The report of a job that has no other facts than its row counts, because it ended before its first row, or failed.
     *
     * @param seconds time since the start of the job
     */
    public static LoadReport withoutResult(Ending ending, Job job, RowCounts rows, double seconds) {
        return new LoadReport(
                ending,
                job,
                rows,
                CommandCounts.NONE,
                FusionCounts.NONE,
                seconds,
                0,
                0,
                0,
                new Times(seconds, 0, 0, 0),
                Bottleneck.SOURCE,
                Optional.empty(),
                Optional.empty(),
                Details.NONE);
    }

    /** This report with another ending, job and details, for example to hide texts that must not leave the process. */
    public LoadReport with(Ending newEnding, Job newJob, Details newDetails) {
        return new LoadReport(
                newEnding,
                newJob,
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
                newDetails);
    }

    /**
     * The time of a load in seconds. The loading thread spent {@code source} on reading rows, {@code mapping} on
     * mapping rows to commands, and {@code window} on waiting: for the window, for the last replies, and for a server that
     * accepted no rows. The writer threads spent {@code socket} in socket calls.
     */
    public record Times(double source, double mapping, double window, double socket) {

        /** The times in one line: {@code source 0.41 s, mapping 0.30 s, window 2.10 s, socket 0.12 s}. */
        public String summary() {
            return "source " + text(source) + ", mapping " + text(mapping) + ", window " + text(window) + ", socket "
                    + text(socket);
        }

        /** Formats a time: {@code 4.31 s}. The first call of {@link String#format} loads formats, so it is not used. */
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
     * @param name {@code Redis} or {@code Valkey}
     * @param version version, such as {@code 7.0.15}
     * @param mode mode, such as {@code standalone}
     */
    public record Server(String name, String version, String mode) {}

    /** One line that says why rows are unconfirmed and what the user can do; empty if no row is unconfirmed. */
    public Optional<String> unconfirmedReason() {
        return ReportSentences.unconfirmedReason(this);
    }

    /**
     * One line that says that a repeated load would add rows a second time; empty if a repeated load is harmless, or if
     * every row that was read has been written and nothing is left to repeat.
     */
    public Optional<String> repetitionWarning() {
        return ReportSentences.repetitionWarning(this);
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
