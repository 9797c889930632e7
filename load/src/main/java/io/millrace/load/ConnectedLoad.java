// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.source.RowOrder;
import io.millrace.load.source.RowReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A load whose source is open and that is connected to its server: transfers the rows, verifies them, and replaces old
 * data. Confined to the loading thread.
 *
 * @param redis the server, for a checkpoint that needs a connection of its own
 * @param differences file for the differences that the verification finds; null for none
 * @param steps receives the steps of a checkpoint
 */
record ConnectedLoad(
        ClientOptions redis,
        RedisClient client,
        ServerFacts facts,
        LoadReport.Server server,
        HashLimits limits,
        LoadContext context,
        Job job,
        @Nullable DifferencesFile differences,
        CheckpointStep.Listener steps) {

    /**
     * Runs the load. Blocks until it has ended.
     *
     * @param reload replaces the data of an earlier load; null if the load only writes its rows
     */
    LoadReport run(@Nullable ReloadRun reload) {
        Eviction eviction = Eviction.before(client);
        Transferred transferred = transfer();
        RowTransfer.Totals totals = transferred.totals();
        warn(limits.ofLongRows(totals.longRows()));
        context.warnOfUndeterminedRows();
        long evicted = eviction.since(client);
        warn(eviction.warning(evicted));
        // Ends the query and the transaction of a database before the rows are read a second time.
        context.reader().close();
        Optional<LoadReport.Verified> verified = verify();
        Optional<ReloadResult> reloaded = Optional.ofNullable(reload).map(run -> run.end(verified, evicted, calls()));
        return new LoadReport(
                context.cancelSignal().ending(),
                job,
                counts(reloaded),
                totals.commands(),
                totals.fusion(),
                totals.took().seconds(),
                totals.took().cpuSeconds(),
                totals.bytesSent(),
                totals.peakInFlight(),
                totals.time(),
                totals.bottleneck(),
                verified,
                Optional.of(server),
                context.details(evicted, reloaded, transferred.checkpoint()).withNodes(totals.nodes()));
    }

    private ControlCalls calls() {
        return ControlCalls.of(client, context.plan().options(), context.cancelSignal());
    }

    /** The result of the transfer, and the checkpoint after its end. */
    private record Transferred(RowTransfer.Totals totals, Optional<LoadReport.Checkpoint> checkpoint) {}

    private Transferred transfer() {
        Imports imports = imports();
        CancelSignal stop = context.cancelSignal();
        Recovery recovery =
                new Recovery(false, stop, context.plan().options().patience(), facts.runId(), context.events()::warn);
        CheckpointedRows resumed = new CheckpointedRows(context, redis, client, facts.runId(), recovery, steps);
        try (LoadCheckpoint checkpoint = resumed.open()) {
            CheckpointRows rows = checkpoint == null ? null : resumed.skip(checkpoint);
            RowTransfer.Totals totals =
                    new RowTransfer(context, client, limits.valueBytes(), imports, recovery, checkpoint, rows).run();
            context.rejectHandler().close(context.repetition());
            return new Transferred(
                    totals, checkpoint == null ? Optional.empty() : Optional.of(checkpoint.end(!stop.isRaised())));
        }
    }

    /** The commands that import the rows. A load that is stopped meanwhile writes no row, and ends its job. */
    private Imports imports() {
        try {
            return Imports.of(context.mapping(), calls(), facts);
        } catch (InterruptedCommandException e) {
            if (!context.cancelSignal().isRaised()) {
                context.cancelSignal().interrupt();
            }
            return Imports.NONE;
        }
    }

    /** The row counts. If a swap was prevented, the rows are not written any more. */
    private RowCounts counts(Optional<ReloadResult> reloaded) {
        RowCounts rows = context.ledger().counts();
        boolean discarded = context.plan().target() instanceof ShadowTarget
                && reloaded.flatMap(ReloadResult::obstacle).isPresent();
        return discarded ? rows.discarded() : rows;
    }

    private void warn(Optional<String> message) {
        message.ifPresent(context.events()::warn);
    }

    /** Verifies the load. A stopped load is not verified, because the rows that it did not read cannot be compared. */
    private Optional<LoadReport.Verified> verify() {
        LoadPlan plan = context.plan();
        CancelSignal stop = context.cancelSignal();
        KeySet exempt = context.rejectHandler().rejectedByServer();
        if (plan.options().verify().share() <= 0 || stop.isRaised()) {
            return Optional.empty();
        }
        stop.verificationBegins();
        if (exempt.overflowed()) {
            stop.stop("verification was skipped, because the server refused too many rows to remember them: remembered="
                    + exempt.size() + ". Correct these rows, and load again");
            return Optional.empty();
        }
        try (RowReader secondReader = Loader.open(plan.source(), stop)) {
            Verifier verifier = new Verifier(
                    plan,
                    secondReader,
                    client,
                    exempt,
                    stop,
                    Recovery.ofVerification(context, facts.runId()),
                    () -> Duration.ofNanos(context.stopwatch().nanos()),
                    Verifier.RowListener.NONE);
            Optional<LoadReport.Verified> verified = verify(verifier, context, differences);
            warn(verified.flatMap(this::doubt));
            return verified;
        } catch (RuntimeException e) {
            // The rows are already written. An exception would lose the report, so the report contains the failure.
            stop.stop("verification failed: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** A warning that a difference may be no error, because the last row of a key may differ between two readings. */
    private Optional<String> doubt(LoadReport.Verified verified) {
        boolean certain = verified.mismatched() == 0
                || context.plan().source().order() == RowOrder.STABLE
                || context.keys().repetition().isEmpty();
        return certain
                ? Optional.empty()
                : Optional.of("some differences may be no errors: several rows have the same key, and the source may"
                        + " return its rows in another order each time. Use one reader, for a database also a query with"
                        + " ORDER BY, or a key that does not repeat.");
    }

    /** Runs a verification, and then names its differences, if the verification is complete. */
    static Optional<LoadReport.Verified> verify(
            Verifier verifier, LoadContext context, @Nullable DifferencesFile differences) {
        Stopwatch verifying = Stopwatch.start();
        Optional<LoadReport.Verified> verified;
        try (EventDispatcher.ProgressThread ignored =
                context.events().startProgress(() -> verifier.progress(verifying.seconds()))) {
            verified = verifier.run();
        }
        try {
            if (verified.isPresent()) {
                verifier.forEachDifference(suspect -> {
                    if (differences != null) {
                        differences.add(suspect);
                    }
                    context.events().dispatch(new LoadEvent.Differed(suspect.key(), suspect.difference()));
                });
            } else {
                verifier.suspicion().ifPresent(context.events()::warn);
            }
            if (differences != null) {
                differences.close();
            }
        } catch (UncheckedIOException e) {
            context.cancelSignal().stop(String.valueOf(e.getMessage()));
        }
        return verified;
    }
}
