// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.RowMapping;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a load is run.
 *
 * @param connections 1 to 64; rows of one key always take the same one
 * @param inFlight commands in flight per connection, 1 to 1,048,576
 * @param inFlightBytes bytes in flight per connection, 65,536 to 2^40
 * @param timeout of one command, 1 ms to 24 h
 * @param limit rows to read, 1 and up; empty means all
 * @param onError what a rejected row means for the job
 * @param maxErrors rejected rows that are tolerated, 0 and up: one more stops the job; empty means any number
 * @param rejects file that takes the rejected rows
 * @param verify how much is read back at the end
 * @param dryRun read and map every row, but contact no Redis
 * @param fusion whether commands of adjacent rows may go out as one, where that changes nothing but what it costs the server
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
        boolean fusion) {

    /** What a rejected row means for the job. */
    public enum OnError {
        /** The job ends with the first rejected row. */
        STOP,
        /** The job goes on. */
        SKIP
    }

    /**
     * How much of the source is read a second time and compared.
     *
     * @param share of the rows, 0.0 (none) to 1.0 (all)
     */
    public record Verification(double share) {
        public static final Verification NONE = new Verification(0);
        public static final Verification FULL = new Verification(1);

        public Verification {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("share=" + share + "; it must be 0.0 to 1.0");
            }
        }

        /** Whether the place of the row that {@code mapping} has prepared is one of those that are compared. */
        boolean includes(RowMapping mapping) {
            return share >= 1
                    || (share > 0 && (Lanes.hash(mapping.key(), mapping.placeLength()) & 0xffffffffL) < share * 0x1p32);
        }
    }

    public LoadOptions {
        check("connections", connections, 1, 64);
        check("inFlight", inFlight, 1, 1 << 20);
        check("inFlightBytes", inFlightBytes, 1 << 16, 1L << 40);
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(24)) > 0) {
            throw new IllegalArgumentException("timeout=" + timeout + "; it must be 1 ms to 24 h");
        }
        limit.ifPresent(rows -> check("limit", rows, 1, Long.MAX_VALUE));
        maxErrors.ifPresent(rows -> check("maxErrors", rows, 0, Long.MAX_VALUE));
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            String range = most == Long.MAX_VALUE ? "at least " + least : least + " to " + most;
            throw new IllegalArgumentException(name + "=" + value + "; it must be " + range);
        }
    }

    /** The defaults; each with its reason beside it. */
    public static LoadOptions defaults() {
        return new LoadOptions(
                1, // measured on loopback: the server is the wall, a second connection gains nothing
                16_384,
                8L << 20,
                Duration.ofSeconds(60),
                OptionalLong.empty(),
                OnError.SKIP,
                OptionalLong.empty(),
                Optional.empty(),
                Verification.NONE,
                false,
                true);
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder(defaults());
    }

    /** Builds {@link LoadOptions}; {@link #build} refuses what is out of range. */
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
        private boolean fusion;

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
            fusion = from.fusion;
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

        public Builder timeout(Duration ofOneCommand) {
            timeout = ofOneCommand;
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

        /** Contacts no Redis. */
        public Builder dryRun() {
            dryRun = true;
            return this;
        }

        /** Sends every command by itself, as behind a proxy that splits commands of several keys. */
        public Builder withoutFusion() {
            fusion = false;
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
                    fusion);
        }
    }
}
