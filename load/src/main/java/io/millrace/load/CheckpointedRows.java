// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowOrder;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Repetition;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Opens the checkpoint of a load, and skips the rows that earlier loads have done.
 *
 * @param redis the server, for a checkpoint that needs a connection of its own
 * @param client a connection to this server
 */
record CheckpointedRows(
        LoadContext context,
        ClientOptions redis,
        RedisClient client,
        Optional<String> runId,
        Recovery recovery,
        CheckpointStep.Listener steps) {

    /**
     * Checks the options of a load with a checkpoint.
     *
     * @throws PlanException if they contradict each other
     */
    static void check(LoadPlan plan) {
        if (plan.options().checkpoint().isPresent() && plan.options().dryRun()) {
            throw new PlanException("a dry run writes no rows, and needs no checkpoint: checkpoint="
                    + plan.options().checkpoint().get().name() + ". Leave out the checkpoint.");
        }
        if (plan.options().checkpoint().isPresent() && plan.options().reload().isPresent()) {
            throw new PlanException("a load that replaces the data of its job begins again after an interruption, and"
                    + " needs no checkpoint: job="
                    + plan.options().reload().get().job() + ", checkpoint="
                    + plan.options().checkpoint().get().name() + ". Leave out the checkpoint, or swap and prune.");
        }
    }

    /** Opens the checkpoint. Null if the load has none, or was stopped because the server refuses all commands. */
    @Nullable
    LoadCheckpoint open() {
        LoadPlan plan = context.plan();
        Optional<CheckpointOptions> asked = plan.options().checkpoint();
        if (asked.isEmpty()) {
            return null;
        }
        if (plan.source().order() != RowOrder.STABLE) {
            context.events()
                    .warn("the order of the rows is not fixed. If the source returns them in another order after an"
                            + " interruption, --resume refuses to continue. Use one reader, for a database also a query"
                            + " with ORDER BY over a column whose values are unique.");
        }
        CheckpointBinding binding = CheckpointBinding.of(plan, context.reader().columns());
        if (context.mapping().repetition() != Repetition.ADDS_ROW_AGAIN) {
            return LocalCheckpoint.open(
                    asked.get(),
                    binding,
                    new LocalCheckpoint.LoadedServer(
                            ControlCalls.of(client, plan.options(), context.cancelSignal()),
                            runId,
                            redis.uri().database(),
                            context.cancelSignal()),
                    plan.target().options().ttl().isPresent()
                            || plan.target().options().ttlField().isPresent(),
                    context.rejectHandler()::flush,
                    steps);
        }
        checkInTarget(plan, asked.get());
        return openInTarget(asked.get(), binding);
    }

    private void checkInTarget(LoadPlan plan, CheckpointOptions checkpoint) {
        if (ClusterServers.isCluster(redis.uri())) {
            throw new PlanException("a checkpoint of a " + plan.target().type()
                    + " changes in the same transaction as its rows, and the keys of a cluster are on several servers:"
                    + " checkpoint=" + checkpoint.name()
                    + ". Leave out the checkpoint, or load into a type whose rows may"
                    + " be written twice: its checkpoint is a file.");
        }
        if (plan.options().connections() > 1) {
            throw new PlanException("a checkpoint of a " + plan.target().type()
                    + " needs one connection, because the position in the source changes with each transaction:"
                    + " connections=" + plan.options().connections() + ". Use one connection.");
        }
    }

    /** Waits while the server refuses all commands, as a server that was restarted and loads its data. */
    private @Nullable LoadCheckpoint openInTarget(CheckpointOptions options, CheckpointBinding binding) {
        while (true) {
            try {
                LoadCheckpoint opened = CheckpointInTarget.open(options, binding, redis, steps);
                recovery.acknowledged();
                return opened;
            } catch (ErrorReplyException e) {
                ServerError kind = ServerError.of(e);
                Trouble trouble = Trouble.refused(kind, ServerError.reply(e), recovery.patience());
                if (!kind.concernsServer()) {
                    throw e;
                }
                if (!kind.isTemporary() || !recovery.await(trouble)) {
                    recovery.giveUp(trouble);
                    return null;
                }
            }
        }
    }

    /**
     * Reads the rows that are done, and compares them with the digest of the checkpoint.
     *
     * @return null if the load was stopped meanwhile
     * @throws PlanException if they are not the same rows
     */
    @Nullable
    CheckpointRows skip(LoadCheckpoint checkpoint) {
        CheckpointPosition start = checkpoint.start();
        steps.reached(CheckpointStep.OPENED);
        if (context.plan().options().checkpoint().orElseThrow().resume()) {
            context.events().dispatch(new LoadEvent.Resumed(start.rows(), checkpoint.place()));
        }
        OptionalLong limit = context.plan().options().limit();
        if (limit.orElse(Long.MAX_VALUE) < start.rows()) {
            throw new PlanException("the limit is below the number of rows that are done: " + checkpoint.place()
                    + ", limit=" + limit.getAsLong() + ", rows=" + start.rows()
                    + ". Raise the limit, or load from the beginning: " + checkpoint.removal() + ".");
        }
        RowDigest digest = new RowDigest();
        CancelSignal stop = context.cancelSignal();
        SampledTime time = new SampledTime(System::nanoTime, () -> 0);
        new ReadLoop(context.reader(), OptionalLong.of(start.rows()), stop, time, () -> false)
                .run(new Row(), "", row -> {
                    digest.add(row);
                    context.ledger().read();
                    context.ledger().skipped();
                    return row;
                });
        if (stop.isRaised()) {
            return null;
        }
        if (!digest.position().equals(start)) {
            throw new PlanException(differs(checkpoint, digest.rows()));
        }
        context.rejectHandler().continueAfter(start.rows());
        steps.reached(CheckpointStep.SKIPPED);
        return checkpoint.begin(digest);
    }

    private String differs(LoadCheckpoint checkpoint, long found) {
        long rows = checkpoint.start().rows();
        String difference = found < rows
                ? "the source has fewer rows than at the checkpoint: " + checkpoint.place() + ", rows=" + rows
                        + ", now " + found
                : "the first " + rows + " rows of the source are other rows, or have another order, than at the"
                        + " checkpoint: " + checkpoint.place();
        String order = context.plan().source().order() == RowOrder.STABLE
                ? ""
                : "use one reader, for a database also a query with ORDER BY over a column whose values are unique,"
                        + " and ";
        return "the load cannot continue, because " + difference + ". Restore the rows, or " + order
                + "load from the beginning: " + checkpoint.removal() + ".";
    }

    /** The number of rows that the load still reads; empty for all. */
    static OptionalLong rest(OptionalLong limit, @Nullable LoadCheckpoint checkpoint) {
        return limit.isEmpty() || checkpoint == null
                ? limit
                : OptionalLong.of(limit.getAsLong() - checkpoint.start().rows());
    }
}
