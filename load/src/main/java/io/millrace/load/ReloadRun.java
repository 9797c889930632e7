// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Setting.Unit;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.target.PlanException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The run of a job that replaces the data of its last run. Begins before the first row, and ends after the verification.
 *
 * <p>DESIGN. A process can be killed at any point. So the state of the run is in Redis, and the next run of the same job
 * first ends what a killed run has left:
 *
 * <pre>
 *   phase      in Redis                                           the next run
 *   loading    keys: old data; shadow keys; new manifest          swap: deletes the shadow keys. Otherwise: adds the new
 *                                                                 manifest to the manifest
 *   swapping   some keys have new data; the other shadow keys     swaps the other keys
 *   pruning    all keys have new data; keys of earlier runs       removes the other keys of earlier runs
 *   idle       manifest                                           nothing
 * </pre>
 *
 * <p>A key is recorded in the new manifest before its shadow key is written ({@link KeyRegistration}). So each shadow
 * key can be found without a search by pattern. Before the phase <em>swapping</em>, the load has succeeded completely.
 * The phase decides: before it, every key has its old data, and after it, every key gets its new data. Each step can be
 * repeated. No step deletes a key that the job did not record, or that has another type than the job wrote.
 *
 * <p>Confined to the loading thread.
 */
final class ReloadRun implements AutoCloseable {

    /** Longest wait for a reply while new data is discarded. Short, because an interrupted load must end soon. */
    private static final Duration DISCARD_WAIT = Duration.ofSeconds(2);

    private final LoadContext context;
    private final Reload reload;
    private final JobStore store;
    private final JobLock lock;
    private final CancelActions.Registration abandonment;

    /** Identity of the server at the beginning of the run; empty if the server does not report it. */
    private final Optional<String> runId;

    private ReloadRun(
            LoadContext context,
            JobStore store,
            JobLock lock,
            CancelActions.Registration abandonment,
            Optional<String> runId) {
        this.context = context;
        this.reload = context.plan().options().reload().orElseThrow();
        this.store = store;
        this.lock = lock;
        this.abandonment = abandonment;
        this.runId = runId;
    }

    /**
     * Takes the lock of the job, ends what a killed run has left, and records the beginning of this run. Blocks.
     *
     * @throws io.millrace.load.target.PlanException if another run has not ended, or if the job had another key
     */
    static ReloadRun begin(LoadContext context, JobKeys keys, ControlCalls calls, Optional<String> runId) {
        Reload reload = context.plan().options().reload().orElseThrow();
        CancelSignal stop = context.cancelSignal();
        JobLock lock = JobLock.take(calls, keys, stop, context.events()::warn);
        AtomicBoolean abandoned = new AtomicBoolean();
        CancelActions.Registration abandonment = stop.onAbandon(() -> abandoned.set(true));
        try {
            JobStore store = new JobStore(
                    calls.uninterrupted(), keys, context.plan().options().timeout(), abandoned::get);
            store.endEarlierRun().ifPresent(context.events()::warn);
            store.start(context.plan().target(), reload);
            return new ReloadRun(context, store, lock, abandonment, runId);
        } catch (JobStore.AbandonedException e) {
            close(lock, abandonment);
            throw new PlanException("the load was stopped before its first row: job=" + reload.job()
                    + ". The next run of this job completes the steps of an earlier run.");
        } catch (RuntimeException e) {
            close(lock, abandonment);
            throw e;
        }
    }

    /**
     * Replaces the old data if the load has succeeded, and discards the new data otherwise. Blocks.
     *
     * @param evicted number of keys that the server evicted during the load
     */
    ReloadResult end(Optional<Verified> verified, long evicted, ControlCalls calls) {
        CancelSignal stop = context.cancelSignal();
        stop.verificationEnded();
        if (stop.isRaised()) {
            discard();
            return ReloadResult.afterIncompleteLoad();
        }
        Optional<String> obstacle = obstacle(verified, evicted, calls);
        if (obstacle.isPresent()) {
            discard();
            return ReloadResult.prevented(obstacle.get());
        }
        try {
            return replace();
        } catch (ErrorReplyException e) {
            return switch (e.code()) {
                case JobScripts.LOCK_LOST ->
                    lost("another run of this job has begun", ". Start only one run of a job at a time.");
                case JobScripts.STATE_LOST -> lost("another client has deleted the state of this job", ". Load again.");
                default -> failed(e);
            };
        } catch (RedisException | JobStore.AbandonedException e) {
            return failed(e);
        }
    }

    /** Stops the load, because this run does not own the state of the job any more. */
    private ReloadResult lost(String why, String advice) {
        context.cancelSignal().stop(why + ", so this run was ended: job=" + reload.job() + advice);
        try {
            store.within(DISCARD_WAIT).leave(reload.swap());
        } catch (RedisException | JobStore.AbandonedException e) {
            context.events()
                    .warn("the new data of this run could not be deleted: job=" + reload.job() + ", run="
                            + context.jobKeys().orElseThrow().run() + ", reason: " + reason(e)
                            + " No later run deletes it. Delete the keys that contain the name of this run.");
        }
        return ReloadResult.prevented(why);
    }

    /** Stops the load, because a step failed. */
    private ReloadResult failed(RuntimeException e) {
        CancelSignal stop = context.cancelSignal();
        String why = (reload.swap() ? "the swap" : "the removal of old keys") + " was not completed: job="
                + reload.job() + ", reason: " + reason(e) + " The next run of this job completes it.";
        if (stop.isRaised()) {
            context.events().warn(why);
        }
        stop.stop(why);
        return ReloadResult.begun();
    }

    private ReloadResult replace() {
        boolean prunes = prunes();
        long swapped = 0;
        if (reload.swap()) {
            store.phase(JobStore.Phase.SWAPPING, prunes);
            swapped = store.swapAll();
        }
        JobStore.Pruned pruned = JobStore.Pruned.NONE;
        if (prunes) {
            store.phase(JobStore.Phase.PRUNING, true);
            pruned = store.prune();
        }
        store.finish(prunes);
        warnOfForeignKeys(pruned);
        return new ReloadResult(swapped, pruned.removed(), pruned.foreign());
    }

    /**
     * Whether this run removes old keys. A row that was rejected before it was sent has no recorded key. The source still
     * has this row, so the key of the row must stay, and any old key may be the key of the row.
     */
    private boolean prunes() {
        long unknown = context.rejectHandler().rejectedUnsent();
        if (reload.prune() && unknown > 0) {
            context.events()
                    .warn("no key was removed, because the keys of rejected rows are not known: job=" + reload.job()
                            + ", rejectedRows=" + Unit.COUNT.text(unknown)
                            + ". Correct these rows, and load again. The next run without such rows removes the keys.");
        }
        return reload.prune() && unknown == 0;
    }

    private void warnOfForeignKeys(JobStore.Pruned pruned) {
        pruned.firstForeign()
                .ifPresent(first -> context.events()
                        .warn("keys of earlier runs were not removed, because they now have another type: keys="
                                + Unit.COUNT.text(pruned.foreign()) + ", first=" + first
                                + ". This job does not remove them later either. Delete them yourself, if they are"
                                + " not needed."));
    }

    /** Why the new data must not replace the old data. Stops the load, unless the report has another reason. */
    private Optional<String> obstacle(Optional<Verified> verified, long evicted, ControlCalls calls) {
        CancelSignal stop = context.cancelSignal();
        RowCounts rows = context.ledger().counts();
        if (rows.unconfirmed() > 0) {
            return Optional.of("rows are unconfirmed: unconfirmed=" + rows.unconfirmed());
        }
        if (verified.isPresent() && verified.get().mismatched() > 0) {
            return Optional.of("the verification found differences");
        }
        Optional<String> found;
        try {
            found = obstacle(rows, evicted, calls);
        } catch (RedisException | JobStore.AbandonedException e) {
            // Nothing was replaced yet. An exception would lose the report.
            found = Optional.of("the state of the job could not be read: " + reason(e) + " Load again");
        }
        found.ifPresent(
                why -> stop.stop((reload.swap() ? "the data was not swapped: " : "no key was removed: ") + why));
        return found;
    }

    private Optional<String> obstacle(RowCounts rows, long evicted, ControlCalls calls) {
        if (rows.rejected() > 0 && context.plan().options().maxErrors().isEmpty()) {
            return Optional.of("rows were rejected: rejected=" + rows.rejected()
                    + ". Correct these rows, or allow them with a maximum of rejected rows (max-errors)");
        }
        if (rows.written() == 0) {
            return Optional.of("no row was written, so the source may be incomplete. To remove all data, delete the"
                    + " keys yourself");
        }
        if (evicted > 0) {
            return Optional.of("the server evicted keys during the load: evicted_keys=" + Unit.COUNT.text(evicted)
                    + ". Raise maxmemory, and load again");
        }
        if (!ServerFacts.of(calls, "server").runId().equals(runId)) {
            return Optional.of("the server was restarted or replaced during the load, so rows may be lost. Load again");
        }
        if (!store.hasNewKeys()) {
            return Optional.of("another client has deleted the keys of this job. Load again");
        }
        long missing = reload.swap() ? store.missingShadows() : 0;
        return missing == 0
                ? Optional.empty()
                : Optional.of("shadow keys do not exist any more: missing=" + Unit.COUNT.text(missing)
                        + ". They have expired, or another client has deleted them. Load again, with a longer expiry");
    }

    /** Discards the new data. If the server does not reply, the next run of the job does this. */
    private void discard() {
        try {
            store.within(DISCARD_WAIT)
                    .discard(reload.swap(), context.rejectHandler().refusedByServer());
        } catch (RedisException | JobStore.AbandonedException unreachable) {
            context.events()
                    .warn("the new data of this load could not be deleted: job=" + reload.job() + ", reason: "
                            + reason(unreachable) + " The next run of this job deletes it.");
        }
    }

    private static String reason(RuntimeException e) {
        return ServerError.sentence(String.valueOf(e.getMessage()));
    }

    @Override
    public void close() {
        close(lock, abandonment);
    }

    private static void close(JobLock lock, CancelActions.Registration abandonment) {
        abandonment.close();
        lock.close();
    }
}
