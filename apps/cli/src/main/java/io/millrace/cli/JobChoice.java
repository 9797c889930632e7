// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.Reload;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** Validates the typed options of a load and converts them to {@link LoadOptions}. */
final class JobChoice {

    private JobChoice() {}

    /**
     * Returns the load options for {@code typed}. An option that was not typed has its default.
     *
     * @param key template of the key, the default for the name of the job
     * @throws UsageException if options contradict each other
     */
    static LoadOptions of(JobArguments typed, String key) {
        checkContradictions(typed);
        checkCheckpoint(typed);
        return options(typed, typed.verify.value().orElse(Verification.NONE), reload(typed, key));
    }

    /**
     * Returns the options of {@code millrace verify}.
     *
     * @throws UsageException if the options ask for no verification
     */
    static LoadOptions ofVerification(JobArguments typed) {
        Verification share = typed.verify.value().orElse(Verification.FULL);
        if (share.share() <= 0) {
            throw new UsageException("--verify none leaves nothing to do. Choose full, or a share such as sample:1%.");
        }
        return options(typed, share, Optional.empty());
    }

    private static LoadOptions options(JobArguments typed, Verification share, Optional<Reload> reload) {
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
                reload,
                checkpoint(typed));
    }

    /** How the rows replace the data of the last run of the job. */
    private static Optional<Reload> reload(JobArguments typed, String key) {
        boolean swap = typed.swap.isTyped();
        boolean prune = typed.prune.isTyped();
        if (!swap && !prune) {
            if (typed.job.isTyped()) {
                throw new UsageException("--job belongs to --swap or --prune. Add one of these options.");
            }
            return Optional.empty();
        }
        if (prune && !typed.job.isTyped()) {
            throw new UsageException("--prune removes the keys that an earlier run of the same job wrote, so it needs "
                    + "the name of the job. Add --job NAME.");
        }
        if (prune && typed.limit.isTyped()) {
            throw new UsageException("--prune with --limit would remove the keys of the rows that are not read. "
                    + "Leave out one of these options.");
        }
        try {
            return Optional.of(
                    typed.job.value().map(name -> new Reload(name, swap, prune)).orElseGet(() -> Reload.swap(key)));
        } catch (IllegalArgumentException illegal) {
            throw new UsageException("--job: " + illegal.getMessage() + ".", illegal);
        }
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
        if (typed.checkpoint.isTyped() && (typed.swap.isTyped() || typed.prune.isTyped())) {
            throw new UsageException((typed.swap.isTyped() ? "--swap" : "--prune")
                    + " begins again after an interruption, so --checkpoint has no meaning there. "
                    + "Leave out one of these options.");
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
