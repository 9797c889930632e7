// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** From the job as typed to options that can be carried out. */
final class JobChoice {

    /** What connecting may take at most; a server that answers nothing for longer is not worth waiting for either. */
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

    private JobChoice() {}

    /**
     * The options that {@code typed} asks for, everything else at its default.
     *
     * @throws UsageException if a value is out of range or options contradict each other
     */
    static LoadOptions of(JobArguments typed) {
        checkContradictions(typed);
        LoadOptions defaults = LoadOptions.defaults();
        int connections = typed.connections.orElse(defaults.connections());
        int inFlight = typed.inFlight.orElse(defaults.inFlight());
        long inFlightBytes = typed.inFlightBytes.orElse(defaults.inFlightBytes());
        Duration timeout = typed.timeout.orElse(defaults.timeout());
        checkRange("--connections", connections, 1, 64);
        checkRange("--in-flight", inFlight, 1, 1 << 20);
        checkRange("--in-flight-bytes", inFlightBytes, 1 << 16, 1L << 40);
        if (timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new UsageException("--timeout is out of range: 1ms to 10m.");
        }
        typed.limit.ifPresent(limit -> checkRange("--limit", limit, 1, Long.MAX_VALUE));
        typed.maxErrors.ifPresent(errors -> checkRange("--max-errors", errors, 0, Long.MAX_VALUE));
        return new LoadOptions(
                connections,
                inFlight,
                inFlightBytes,
                timeout,
                optional(typed.limit),
                typed.onError.orElse(defaults.onError()),
                optional(typed.maxErrors),
                typed.rejects,
                typed.verify.orElse(Verification.NONE),
                typed.dryRun,
                !typed.noFusion);
    }

    private static void checkContradictions(JobArguments typed) {
        if (typed.dryRun && typed.explain) {
            throw new UsageException("--explain shows the first rows, --dry-run reads all of them. Choose one.");
        }
        boolean verifies = typed.verify.isPresent() && typed.verify.get().share() > 0;
        if (verifies && (typed.dryRun || typed.explain)) {
            throw new UsageException("--verify compares what was written, and "
                    + (typed.dryRun ? "--dry-run" : "--explain") + " writes nothing. Leave one of them out.");
        }
        if (typed.maxErrors.isPresent() && typed.onError.equals(Optional.of(OnError.STOP))) {
            throw new UsageException("--on-error stop ends the job with the first rejected row, so --max-errors has no "
                    + "meaning beside it. Leave one of them out.");
        }
    }

    private static void checkRange(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new UsageException(option + " " + value + " is out of range: "
                    + (most == Long.MAX_VALUE ? "at least " + least : least + " to " + most) + ".");
        }
    }

    private static OptionalLong optional(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
