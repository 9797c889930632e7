// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a load is run.
 *
 * @param connections 1 to 64; rows of one key always take the same one
 * @param inFlight commands in flight per connection, 1 to 1,048,576
 * @param inFlightBytes bytes in flight per connection, from 65,536
 * @param timeout of one command, from 1 ms
 * @param limit rows to read; empty means all
 * @param onError what a rejected row means for the job
 * @param maxErrors rejected rows that are tolerated, 0 and up: one more stops the job; empty means any number
 * @param rejects file that takes the rejected rows
 * @param verify how much is read back at the end
 * @param dryRun read and map every row, but contact no Redis
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
        boolean dryRun) {

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
                false);
    }
}
