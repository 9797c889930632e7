// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.load.target.RowMapping;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Options of a load. The documentation of each constant gives the range and the default of an option.
 *
 * @param connections {@link #CONNECTIONS}; all rows of one key use the same connection
 * @param inFlight {@link BulkOptions#IN_FLIGHT}
 * @param inFlightBytes {@link BulkOptions#IN_FLIGHT_BYTES}
 * @param timeout {@link #TIMEOUT}
 * @param limit {@link #LIMIT}; empty to read all rows
 * @param onError whether the load stops at the first rejected row
 * @param maxErrors {@link #MAX_ERRORS}; the load stops as soon as more rows than this maximum are rejected; empty for
 *     no maximum
 * @param rejects file for the rejected rows
 * @param verify share of the rows that is read back after the load
 * @param dryRun whether the load only reads and maps the rows, and does not contact Redis
 * @param rate {@link #RATE}; empty for no limit
 * @param fusion whether the loader may send the commands of adjacent rows as one command. It does so only if this
 *     changes nothing except the cost for the server
 * @param patience {@link #PATIENCE}
 * @param differences file for the differences that a verification finds
 * @param reload how the rows replace the data of an earlier load; empty to write them in place. A dry run ignores this
 * @param checkpoint the checkpoint with which another load can continue this load; empty for none
 */
public record LoadOptions(
        int connections,
        int inFlight,
        long inFlightBytes,
        Duration timeout,
        OptionalLong limit,
        OnError onError,
        OptionalLong maxErrors,
        Optional<Path> rejects,
        Verification verify,
        boolean dryRun,
        OptionalLong rate,
        boolean fusion,
        Duration patience,
        Optional<Path> differences,
        Optional<Reload> reload,
        Optional<CheckpointOptions> checkpoint) {

    /**
     * Range: 1 to 64. Default: 1. A measurement over the loopback interface gave the reason: the server is the
     * bottleneck, and a second connection does not increase the throughput.
     */
    public static final Setting<Integer> CONNECTIONS =
            new Setting<>("connections", 1, 64, 1, Unit.COUNT, "Number of connections to the server.");

    /** Range: 1 ms to 10 min. Default: 1 min, the default of {@link BulkOptions#TIMEOUT}. */
    public static final Setting<Duration> TIMEOUT = new Setting<>(
            "timeout",
            BulkOptions.TIMEOUT.min(),
            Duration.ofMinutes(10),
            BulkOptions.TIMEOUT.defaultValue(),
            Unit.TIME,
            BulkOptions.TIMEOUT.help());

    /** Range: at least 1. Default: no limit. */
    public static final Setting<Long> LIMIT =
            new Setting<>("limit", 1L, Long.MAX_VALUE, Long.MAX_VALUE, Unit.COUNT, "Maximum number of rows to read.");

    /** Range: at least 0. Default: no limit. */
    public static final Setting<Long> MAX_ERRORS = new Setting<>(
            "maxErrors",
            0L,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Unit.COUNT,
            "Maximum number of rejected rows before the load stops.");

    /** Range: at least 1. Default: no limit. */
    public static final Setting<Long> RATE =
            new Setting<>("rate", 1L, Long.MAX_VALUE, Long.MAX_VALUE, Unit.COUNT, "Maximum number of rows per second.");

    /**
     * Range: zero, or 1 ms to 24 h. Default: 1 min, which is longer than a usual failover or restart. With zero, the load
     * stops at the first temporary error. The load waits at most 5 s for a server without free memory.
     */
    public static final Setting<Duration> PATIENCE = new Setting<>(
            "patience",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofMinutes(1),
            Unit.TIME_OR_ZERO,
            "Maximum wait for a server that accepts no rows at present, or for a lost connection.");

    /** Whether a rejected row ends the load. */
    public enum OnError {
        /** The load ends with the first rejected row. */
        STOP,
        /** The load continues. */
        SKIP
    }

    /**
     * Verification after the load: the source is read a second time, and its rows are compared with Redis.
     *
     * @param share share of the rows that is compared, 0.0 (none) to 1.0 (all)
     */
    public record Verification(double share) {
        public static final Verification NONE = new Verification(0);
        public static final Verification FULL = new Verification(1);

        public Verification {
            Setting.checkArgument("share", share, 0.0, 1.0);
        }

        /**
         * Whether the row that {@code mapping} has prepared is compared. The result depends only on the key and the
         * hash field of the row.
         */
        boolean includes(RowMapping mapping) {
            return share >= 1
                    || (share > 0
                            && (LoadConnections.hash(mapping.key(), mapping.keyAndFieldLength()) & 0xffffffffL)
                                    < share * 0x1p32);
        }
    }

    public LoadOptions {
        CONNECTIONS.check(connections);
        BulkOptions.IN_FLIGHT.check(inFlight);
        BulkOptions.IN_FLIGHT_BYTES.check(inFlightBytes);
        TIMEOUT.check(timeout);
        limit.ifPresent(LIMIT::check);
        maxErrors.ifPresent(MAX_ERRORS::check);
        PATIENCE.check(patience);
        rate.ifPresent(RATE::check);
    }

    /** The default options. */
    public static LoadOptions defaults() {
        return new LoadOptions(
                CONNECTIONS.defaultValue(),
                BulkOptions.IN_FLIGHT.defaultValue(),
                BulkOptions.IN_FLIGHT_BYTES.defaultValue(),
                TIMEOUT.defaultValue(),
                OptionalLong.empty(),
                OnError.SKIP,
                OptionalLong.empty(),
                Optional.empty(),
                Verification.NONE,
                false,
                OptionalLong.empty(),
                true,
                PATIENCE.defaultValue(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** A builder with the default options. */
    public static Builder builder() {
        return new Builder(defaults());
    }

    /** A builder with these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /**
     * Builds {@link LoadOptions}. {@link #build} throws {@link IllegalArgumentException} if a value is out of range.
     */
    public static final class Builder {

        private int connections;
        private int inFlight;
        private long inFlightBytes;
        private Duration timeout;
        private OptionalLong limit;
        private OnError onError;
        private OptionalLong maxErrors;
        private Optional<Path> rejects;
        private Verification verify;
        private boolean dryRun;
        private OptionalLong rate;
        private boolean fusion;
        private Duration patience;
        private Optional<Path> differences;
        private Optional<Reload> reload;
        private Optional<CheckpointOptions> checkpoint;

        private Builder(LoadOptions from) {
            connections = from.connections;
            inFlight = from.inFlight;
            inFlightBytes = from.inFlightBytes;
            timeout = from.timeout;
            limit = from.limit;
            onError = from.onError;
            maxErrors = from.maxErrors;
            rejects = from.rejects;
            verify = from.verify;
            dryRun = from.dryRun;
            rate = from.rate;
            fusion = from.fusion;
            patience = from.patience;
            differences = from.differences;
            reload = from.reload;
            checkpoint = from.checkpoint;
        }

        public Builder connections(int count) {
            connections = count;
            return this;
        }

        public Builder inFlight(int commands) {
            inFlight = commands;
            return this;
        }

        public Builder inFlightBytes(long bytes) {
            inFlightBytes = bytes;
            return this;
        }

        public Builder timeout(Duration perCommand) {
            timeout = perCommand;
            return this;
        }

        public Builder limit(long rows) {
            limit = OptionalLong.of(rows);
            return this;
        }

        public Builder onError(OnError newOnError) {
            onError = newOnError;
            return this;
        }

        public Builder maxErrors(long rows) {
            maxErrors = OptionalLong.of(rows);
            return this;
        }

        public Builder rejects(Path file) {
            rejects = Optional.of(file);
            return this;
        }

        public Builder verify(Verification newVerify) {
            verify = newVerify;
            return this;
        }

        /** The load only reads and maps the rows, and does not contact Redis. */
        public Builder dryRun() {
            dryRun = true;
            return this;
        }

        public Builder rate(long rowsPerSecond) {
            rate = OptionalLong.of(rowsPerSecond);
            return this;
        }

        /**
         * Each row is sent as a separate command. This option is needed behind a proxy that splits commands with
         * several keys.
         */
        public Builder withoutFusion() {
            fusion = false;
            return this;
        }

        public Builder patience(Duration longestWait) {
            patience = longestWait;
            return this;
        }

        public Builder differences(Path file) {
            differences = Optional.of(file);
            return this;
        }

        public Builder reload(Reload newReload) {
            reload = Optional.of(newReload);
            return this;
        }

        public Builder checkpoint(CheckpointOptions newCheckpoint) {
            checkpoint = Optional.of(newCheckpoint);
            return this;
        }

        public LoadOptions build() {
            return new LoadOptions(
                    connections,
                    inFlight,
                    inFlightBytes,
                    timeout,
                    limit,
                    onError,
                    maxErrors,
                    rejects,
                    verify,
                    dryRun,
                    rate,
                    fusion,
                    patience,
                    differences,
                    reload,
                    checkpoint);
        }
    }
}
