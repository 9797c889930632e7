// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.load.target.PlanException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of one load into a target to which a row can be written twice without harm. Saves the position once per
 * second on a thread of its own, so that the loading thread does not wait for the disk.
 *
 * <p>Confined to the loading thread, except the thread that saves.
 */
final class LocalCheckpoint implements LoadCheckpoint {

    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String REMOVAL = "remove the file";

    private final CheckpointOptions options;
    private final CheckpointFile file;
    private final RedisClient client;
    private final int database;
    private final CancelSignal stop;
    private final Runnable beforeSave;
    private final CheckpointStep.Listener steps;
    private final CheckpointPosition start;

    /** Null until {@link #begin}. */
    private @Nullable AcknowledgedRows rows;

    private @Nullable Thread saver;
    private volatile boolean ending;

    private LocalCheckpoint(
            CheckpointOptions options,
            CheckpointFile file,
            LoadedServer server,
            Runnable beforeSave,
            CheckpointStep.Listener steps) {
        this.options = options;
        this.file = file;
        this.client = server.calls().client();
        this.database = server.database();
        this.stop = server.stop();
        this.beforeSave = beforeSave;
        this.steps = steps;
        this.start = file.stored().position();
    }

    /**
     * The server of the load.
     *
     * @param runId the {@code run_id} of the server process
     * @param database number of the database
     * @param stop stops the load if the checkpoint cannot be saved
     */
    record LoadedServer(ControlCalls calls, Optional<String> runId, int database, CancelSignal stop) {}

    /**
     * Opens the checkpoint, and records the plan and the server.
     *
     * @param expires whether the target sets an expiry, so that the number of keys may decrease
     * @param beforeSave writes the rejected rows to the disk; called on any thread
     * @throws PlanException if there is a checkpoint and the load does not resume, or if the plan, the source or the
     *     server differs
     */
    static LocalCheckpoint open(
            CheckpointOptions options,
            CheckpointBinding binding,
            LoadedServer server,
            boolean expires,
            Runnable beforeSave,
            CheckpointStep.Listener steps) {
        CheckpointFile file = CheckpointFile.open(options.file(), steps);
        try {
            StoredCheckpoint stored = file.stored();
            boolean isNew = stored.values().isEmpty();
            if (!isNew) {
                check(options, binding, server, expires, stored, file.place());
            }
            Map<String, String> begin = StoredCheckpoint.begin(binding, server.runId());
            if (!isNew) {
                begin.keySet().removeAll(Set.of(StoredCheckpoint.ROWS, StoredCheckpoint.DIGEST));
            }
            file.append(begin);
            return new LocalCheckpoint(options, file, server, beforeSave, steps);
        } catch (UncheckedIOException e) {
            file.close();
            throw new PlanException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static void check(
            CheckpointOptions options,
            CheckpointBinding binding,
            LoadedServer server,
            boolean expires,
            StoredCheckpoint stored,
            String place) {
        stored.check(place);
        if (!options.resume()) {
            throw new PlanException("there is a checkpoint of a load that has not ended: " + place + ", rows="
                    + stored.position().rows()
                    + ". Add --resume to continue this load, or remove the file to load from the beginning.");
        }
        stored.checkSame(binding, place, REMOVAL);
        if (!options.serverKeptData() && stored.position().rows() > 0) {
            checkServer(stored, server, expires, place);
        }
    }

    private static void checkServer(StoredCheckpoint stored, LoadedServer server, boolean expires, String place) {
        Optional<String> before = stored.text(StoredCheckpoint.RUN_ID);
        String advice = ". Rows that were written before may be lost. Remove the file to load from the beginning, which"
                + " changes no row that is still there; or add --server-kept-data if the server has kept all rows, as"
                + " with appendfsync always.";
        if (!before.equals(server.runId())) {
            throw new PlanException("the server was restarted, or is another server: " + place + ", rows="
                    + stored.position().rows() + ", run_id at the checkpoint " + before.orElse("unknown") + ", now "
                    + server.runId().orElse("unknown") + advice);
        }
        OptionalLong keysBefore = stored.number(StoredCheckpoint.KEYS);
        OptionalLong keysNow = lastingKeysOrZero(server);
        if (!expires && keysBefore.isPresent() && keysNow.isPresent() && keysNow.getAsLong() < keysBefore.getAsLong()) {
            throw new PlanException("the server has fewer keys than at the checkpoint: " + place + ", rows="
                    + stored.position().rows() + ", keys without an expiry at the checkpoint "
                    + keysBefore.getAsLong() + ", now " + keysNow.getAsLong() + advice);
        }
    }

    /** The number of keys without an expiry, 0 for an empty database; empty if the server does not report it. */
    private static OptionalLong lastingKeysOrZero(LoadedServer server) {
        OptionalLong lasting = lastingKeys(ServerFacts.of(server.calls(), "keyspace"), server.database());
        if (lasting.isPresent()) {
            return lasting;
        }
        try {
            return server.calls().call(Server.size()) == 0 ? OptionalLong.of(0) : OptionalLong.empty();
        } catch (ErrorReplyException noPermission) {
            return OptionalLong.empty();
        }
    }

    /** The number of keys without an expiry; empty for an empty database, or if the server does not report it. */
    private static OptionalLong lastingKeys(ServerFacts keyspace, int database) {
        Optional<String> line = keyspace.text("db" + database);
        if (line.isEmpty()) {
            // The server reports only databases with keys.
            return OptionalLong.empty();
        }
        long keys = 0;
        for (String part : line.get().split(",", -1)) {
            int equals = part.indexOf('=');
            String name = part.substring(0, Math.max(0, equals));
            if (name.equals("keys")) {
                keys += Long.parseLong(part.substring(equals + 1));
            } else if (name.equals("expires")) {
                keys -= Long.parseLong(part.substring(equals + 1));
            }
        }
        return OptionalLong.of(keys);
    }

    @Override
    public CheckpointPosition start() {
        return start;
    }

    @Override
    public String place() {
        return file.place();
    }

    @Override
    public String removal() {
        return REMOVAL;
    }

    @Override
    public CheckpointRows begin(RowDigest digest) {
        AcknowledgedRows begun = new AcknowledgedRows(digest);
        rows = begun;
        saver = Thread.ofPlatform().name("millrace-checkpoint").daemon().start(() -> saveUntilEnd(begun));
        return begun;
    }

    private void saveUntilEnd(AcknowledgedRows begun) {
        long due = System.nanoTime() + SAVE_NANOS;
        while (!ending) {
            long left = due - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
                continue;
            }
            save(begun.position());
            due = System.nanoTime() + SAVE_NANOS;
        }
    }

    private void save(CheckpointPosition position) {
        if (position.rows() == file.stored().position().rows()) {
            return;
        }
        beforeSave.run();
        try {
            file.append(position, keysNow());
        } catch (UncheckedIOException e) {
            ending = true;
            stop.stop(String.valueOf(e.getMessage()));
        }
    }

    private OptionalLong keysNow() {
        return ServerFacts.soon(client, "keyspace")
                .map(facts -> lastingKeys(facts, database))
                .orElse(OptionalLong.empty());
    }

    /** After a failover, another server has the rows before the position. */
    private void saveServer(Optional<String> runId) {
        if (runId.isEmpty() || runId.equals(file.stored().text(StoredCheckpoint.RUN_ID))) {
            return;
        }
        try {
            Map<String, String> values = new HashMap<>(Map.of(StoredCheckpoint.RUN_ID, runId.get()));
            keysNow().ifPresent(count -> values.put(StoredCheckpoint.KEYS, Long.toString(count)));
            file.append(values);
        } catch (UncheckedIOException e) {
            stop.stop(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public LoadReport.Checkpoint end(boolean completed, Optional<String> runId) {
        stopSaver();
        steps.reached(CheckpointStep.ALL_ANSWERED);
        AcknowledgedRows ended = rows;
        if (ended == null) {
            return result(start, false);
        }
        ended.finished();
        boolean remove = completed && ended.areAllDone();
        if (remove) {
            file.delete();
        } else {
            save(ended.position());
            saveServer(runId);
        }
        steps.reached(CheckpointStep.ENDED);
        return result(ended.position(), remove);
    }

    private LoadReport.Checkpoint result(CheckpointPosition position, boolean complete) {
        return new LoadReport.Checkpoint(
                options.name(),
                options.file().toAbsolutePath().toString(),
                start.rows(),
                position.rows(),
                complete ? LoadReport.Checkpoint.State.REMOVED : LoadReport.Checkpoint.State.CAN_RESUME);
    }

    private void stopSaver() {
        ending = true;
        Thread running = saver;
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            LockSupport.unpark(running);
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stopSaver();
        file.close();
    }
}
