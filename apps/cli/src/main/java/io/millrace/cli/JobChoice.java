// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** Validates the typed options of a load and converts them to {@link LoadOptions}. */
final class JobChoice {

    private JobChoice() {}

    /**
     * Returns the load options for {@code typed}. An option that was not typed has its default.
     *
     * @throws UsageException if options contradict each other
     */
    static LoadOptions of(JobArguments typed) {
        checkContradictions(typed);
        checkCheckpoint(typed);
        return options(typed, typed.verify.value().orElse(Verification.NONE));
    }

    /**
     * Returns the options of {@code millrace verify}.
     *
     * @throws UsageException if nothing is to be verified
     */
    static LoadOptions ofVerification(JobArguments typed) {
        Verification share = typed.verify.value().orElse(Verification.FULL);
        if (share.share() <= 0) {
            throw new UsageException("--verify none leaves nothing to do. Choose full, or a share such as sample:1%.");
        }
        return options(typed, share);
    }

    private static LoadOptions options(JobArguments typed, Verification share) {
        LoadOptions defaults = LoadOptions.defaults();
        return new LoadOptions(
                typed.connections.value().orElse(defaults.connections()),
                typed.inFlight.value().orElse(defaults.inFlight()),
                typed.inFlightBytes.value().orElse(defaults.inFlightBytes()),
                typed.timeout.value().orElse(defaults.timeout()),
                optional(typed.limit.value()),
                typed.onError.value().orElse(defaults.onError()),
                optional(typed.maxErrors.value()),
                typed.rejects.value(),
                share,
                typed.dryRun.isTyped(),
                optional(typed.rate.value()),
                !typed.noFusion.isTyped(),
                typed.patience.value().orElse(defaults.patience()),
                typed.differences.value(),
                checkpoint(typed));
    }

    private static Optional<CheckpointOptions> checkpoint(JobArguments typed) {
        try {
            return typed.checkpoint
                    .value()
                    .map(name -> new CheckpointOptions(
                            name, Path.of(""), typed.resume.isTyped(), typed.serverKeptData.isTyped()));
        } catch (IllegalArgumentException wrong) {
            throw new UsageException(wrong.getMessage() + ".", wrong);
        }
    }

    private static void checkCheckpoint(JobArguments typed) {
        if (typed.resume.isTyped() && !typed.checkpoint.isTyped()) {
            throw new UsageException("--resume continues a load with a checkpoint. Add --checkpoint NAME.");
        }
        if (typed.serverKeptData.isTyped() && !typed.resume.isTyped()) {
            throw new UsageException(
                    "--server-kept-data has a meaning only with --resume. Add --resume, or leave it out.");
        }
        if (typed.checkpoint.isTyped() && (typed.dryRun.isTyped() || typed.explain.isTyped())) {
            throw new UsageException("--checkpoint records written rows, and "
                    + (typed.dryRun.isTyped() ? "--dry-run" : "--explain")
                    + " writes nothing. Leave out one of these options.");
        }
    }

    private static void checkContradictions(JobArguments typed) {
        if (typed.dryRun.isTyped() && typed.explain.isTyped()) {
            throw new UsageException("--explain shows the first rows, --dry-run reads all rows. Choose one.");
        }
        boolean verifies = typed.verify.value().orElse(Verification.NONE).share() > 0;
        if (verifies && (typed.dryRun.isTyped() || typed.explain.isTyped())) {
            throw new UsageException("--verify compares the written rows with the source, and "
                    + (typed.dryRun.isTyped() ? "--dry-run" : "--explain")
                    + " writes nothing. Leave out one of these options.");
        }
        if (typed.differences.isTyped() && !verifies) {
            throw new UsageException("--differences names what the verification finds, and there is no verification. "
                    + "Add --verify full, or leave out --differences.");
        }
        if (typed.maxErrors.isTyped() && typed.onError.value().equals(Optional.of(OnError.STOP))) {
            throw new UsageException("--on-error stop ends the load at the first rejected row, so --max-errors has no "
                    + "meaning. Leave out one of these options.");
        }
    }

    private static OptionalLong optional(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
