// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Setting.Unit;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Sets;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The state of a job in Redis, and the steps that change it. Each step can be repeated, also by another run. Each step
 * fails if this run has lost the lock of the job. Confined to one thread. Blocks.
 */
final class JobStore {

    /** Number of keys that one command handles. The server executes no other command meanwhile. */
    private static final int BATCH = 200;

    /** The phases of a run, in the order of time. The state has their names in lower case. */
    enum Phase {
        LOADING,
        SWAPPING,
        PRUNING,
        IDLE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The numbers of removed keys, and of keys with another type.
     *
     * @param firstForeign a key with another type, and its type
     */
    record Pruned(long removed, long foreign, Optional<String> firstForeign) {

        static final Pruned NONE = new Pruned(0, 0, Optional.empty());
    }

    /** Thrown by a step if the load was abandoned. The next run of the job completes the step. */
    static final class AbandonedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        AbandonedException() {
            super("the load was abandoned");
        }
    }

    private final ControlCalls calls;
    private final JobKeys keys;

    /** The keys of the run whose data the steps change: this run, or an earlier run that was killed. */
    private final JobKeys subject;

    /** Longest wait for the end of a script, which may change many keys. The client sends no script twice. */
    private final Duration timeout;

    private final BooleanSupplier abandoned;

    /**
     * Creates the store of this run.
     *
     * @param timeout longest wait for the end of a script
     * @param abandoned whether a step with many commands must end early
     */
    JobStore(ControlCalls calls, JobKeys keys, Duration timeout, BooleanSupplier abandoned) {
        this(calls, keys, keys, timeout, abandoned);
    }

    private JobStore(ControlCalls calls, JobKeys keys, JobKeys subject, Duration timeout, BooleanSupplier abandoned) {
        this.timeout = timeout;
        this.calls = calls;
        this.keys = keys;
        this.subject = subject;
        this.abandoned = abandoned;
    }

    /** The same store, with at most this time to wait for each reply. */
    JobStore within(Duration shorter) {
        return new JobStore(calls.within(shorter), keys, subject, min(shorter, timeout), abandoned);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Whether this run has recorded keys. */
    boolean hasNewKeys() {
        return calls.call(Sets.size(subject.newManifest())) > 0;
    }

    /** Ends a run that was killed. Returns a message for the user; empty if there is no such run. */
    Optional<String> endEarlierRun() {
        Map<String, String> state = calls.call(Hashes.getAll(keys.state()));
        String phase = state.getOrDefault("phase", Phase.IDLE.word());
        if (phase.equals(Phase.IDLE.word())) {
            return Optional.empty();
        }
        run(JobScripts.CLAIM, List.of(keys.lock(), keys.state()));
        JobStore earlier = new JobStore(calls, keys, keys.ofRun(state.getOrDefault("run", "")), timeout, abandoned);
        return Optional.of("an earlier run of this job did not end: job=" + keys.job() + ", phase=" + phase + ". "
                + earlier.end(phase, state));
    }

    private String end(String phase, Map<String, String> state) {
        boolean swaps = flag(state, "swap");
        boolean prunes = flag(state, "prune");
        if (phase.equals(Phase.LOADING.word())) {
            long deleted = discard(swaps, false);
            return swaps
                    ? "Its shadow keys were deleted: " + Unit.COUNT.text(deleted) + ". The old data was unchanged."
                    : "Its keys were recorded, so that they can be removed later.";
        }
        long swapped = phase.equals(Phase.SWAPPING.word()) ? swapAll() : 0;
        if (prunes) {
            phase(Phase.PRUNING, true);
        }
        Pruned pruned = prunes ? prune() : Pruned.NONE;
        finish(prunes);
        return "Its last steps were completed: swapped=" + Unit.COUNT.text(swapped) + ", pruned="
                + Unit.COUNT.text(pruned.removed()) + ".";
    }

    private static boolean flag(Map<String, String> state, String name) {
        return state.getOrDefault(name, "0").equals("1");
    }

    /**
     * Records the beginning of this run.
     *
     * @throws PlanException if the job had another key
     */
    void start(Target target, Reload reload) {
        String key = target.options().key();
        Optional<String> earlier = calls.call(Hashes.get(keys.state(), "key"));
        if (earlier.isPresent() && !earlier.get().equals(key)) {
            throw new PlanException("this job has written other keys: job=" + keys.job() + ", earlierKey="
                    + earlier.get() + ", key=" + key + ". Choose another name of the job.");
        }
        run(
                JobScripts.START,
                List.of(keys.lock(), keys.state(), keys.probe()),
                key,
                target.redisType(),
                number(reload.swap()),
                number(reload.prune()));
    }

    private static int number(boolean flag) {
        return flag ? 1 : 0;
    }

    /**
     * Records the phase.
     *
     * @param prunes whether old keys are removed after the swap, if another run has to complete this run
     */
    void phase(Phase phase, boolean prunes) {
        run(JobScripts.PHASE, List.of(keys.lock(), keys.state()), phase.word(), number(prunes));
    }

    /** Number of recorded keys whose shadow key does not exist. */
    long missingShadows() {
        long[] missing = {0};
        forEachBatch(subject.newManifest(), batch -> {
            byte[][] shadows = batch.stream().map(subject::shadow).toArray(byte[][]::new);
            Command<Reply> exists = Command.of("EXISTS", (Object[]) shadows);
            missing[0] += shadows.length - Replies.integer(calls.call(exists));
        });
        return missing[0];
    }

    /** Replaces each key by its shadow key. Returns the number of replaced keys. */
    long swapAll() {
        long[] swapped = {0};
        forEachBatch(subject.newManifest(), batch -> {
            List<Object> pairs = new ArrayList<>(List.of(keys.lock(), keys.state()));
            batch.forEach(key -> {
                pairs.add(subject.shadow(key));
                pairs.add(key);
            });
            swapped[0] += Replies.integer(run(JobScripts.SWAP, pairs));
        });
        return swapped[0];
    }

    /** Removes the keys of the manifest that are not in the new manifest. */
    Pruned prune() {
        Optional<String> type = calls.call(Hashes.get(keys.state(), "type"));
        long[] counts = {0, 0};
        List<String> foreign = new ArrayList<>();
        forEachBatch(keys.manifest(), batch -> {
            List<Object> all = new ArrayList<>(List.of(keys.lock(), keys.state(), subject.newManifest()));
            all.addAll(batch);
            if (run(JobScripts.PRUNE, all, type.orElse("")) instanceof ArrayReply(List<Reply> result)) {
                counts[0] += Replies.integer(result.get(0));
                counts[1] += Replies.integer(result.get(1));
                if (result.size() > 2 && foreign.isEmpty()) {
                    foreign.add(Replies.text(result.get(2)) + " (" + Replies.text(result.get(3)) + ")");
                }
            }
        });
        return new Pruned(counts[0], counts[1], foreign.stream().findFirst());
    }

    /**
     * Ends a run with success.
     *
     * @param replace whether the new manifest replaces the manifest; otherwise it is added to the manifest
     */
    void finish(boolean replace) {
        run(
                JobScripts.FINISH,
                List.of(keys.lock(), keys.state(), subject.newManifest(), keys.manifest()),
                number(replace));
    }

    /**
     * Ends a run without success. Returns the number of deleted shadow keys.
     *
     * @param swaps whether the run has written shadow keys
     * @param refused whether the server has refused rows. The new manifest of a run without shadow keys then names keys
     *     that the run may not have written, and is dropped
     */
    long discard(boolean swaps, boolean refused) {
        long deleted = swaps ? deleteShadows() : 0;
        if (swaps || refused) {
            run(JobScripts.DROP, List.of(keys.lock(), keys.state(), subject.newManifest()));
        } else {
            finish(false);
        }
        return deleted;
    }

    private long deleteShadows() {
        long[] deleted = {0};
        forEachBatch(subject.newManifest(), batch -> {
            byte[][] shadows = batch.stream().map(subject::shadow).toArray(byte[][]::new);
            Command<Reply> unlink = Command.of("UNLINK", (Object[]) shadows);
            deleted[0] += Replies.integer(calls.call(unlink));
        });
        return deleted[0];
    }

    /** Deletes what this run has written after another run took its lock. The state belongs to the other run. */
    void leave(boolean swaps) {
        if (swaps) {
            var unused = deleteShadows();
        }
        var unused = calls.call(Command.of("UNLINK", subject.newManifest()));
    }

    /** Passes the members of the set {@code set} to {@code action}, some at a time. A member may be passed twice. */
    private void forEachBatch(String set, Consumer<List<byte[]>> action) {
        byte[] name = set.getBytes(StandardCharsets.US_ASCII);
        String cursor = ScanPage.START;
        do {
            ScanPage<List<byte[]>> page = calls.call(Sets.scan(name, cursor, ScanOptions.DEFAULT.withCount(BATCH)));
            for (int from = 0; from < page.found().size(); from += BATCH) {
                if (abandoned.getAsBoolean()) {
                    throw new AbandonedException();
                }
                action.accept(page.found()
                        .subList(from, Math.min(from + BATCH, page.found().size())));
            }
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));
    }

    private Reply run(Script script, List<?> scriptKeys, Object... arguments) {
        List<Object> all = new ArrayList<>();
        all.add(keys.run());
        all.addAll(List.of(arguments));
        return calls.client().call(Scripts.run(script, scriptKeys, all).within(timeout));
    }
}
