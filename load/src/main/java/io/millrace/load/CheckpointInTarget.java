// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.source.Row;
import io.millrace.load.target.PlanException;
import io.millrace.resp.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * The checkpoint of one load into a list, a stream or another target to which a row must not be written twice. It is a
 * hash in the database of the rows.
 *
 * <p>DESIGN. The position changes in the transaction that writes the rows. So the server has both or neither, also after
 * it was killed and has lost its last seconds. Whoever reads the hash knows exactly which rows are written. Two things
 * must not happen after the hash was read:
 *
 * <ul>
 *   <li>A transaction of a dead process is still in a buffer of the server, and is executed later. So the hash names the
 *       connection that writes, and a load closes this connection with {@code CLIENT KILL} before it reads the position.
 *   <li>Two loads write at the same time. So the hash names its owner. A new load becomes the owner, and then closes the
 *       connection of the old owner. An old owner that connects again finds another name, and stops.
 * </ul>
 *
 * <p>After the last row, the hash stays and says that the load is complete. Otherwise, a repeated command would add all
 * rows a second time.
 *
 * <p>Confined to the loading thread, except {@link #abort}.
 */
final class CheckpointInTarget implements LoadCheckpoint {

    /** An id that no connection has. Redis counts the connections from 1. */
    private static final String NO_CONNECTION = Long.toString(Long.MAX_VALUE);

    private static final Command<Reply> INFO = Command.of("INFO", "server");

    private final CheckpointOptions options;
    private final CheckpointBinding binding;
    private final RedisClient client;
    private final CheckpointStep.Listener steps;
    private final String owner = UUID.randomUUID().toString();
    private DedicatedConnection connection;
    private StoredCheckpoint stored = new StoredCheckpoint(Map.of());
    private CheckpointPosition start = CheckpointPosition.START;
    private RowDigest digest = new RowDigest();
    /** Whether the hash no longer belongs to this load, or is missing. */
    private boolean lost;

    /** Thrown if another load has become the owner, or if the server has lost the checkpoint. */
    static final class LostCheckpointException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final boolean missing;

        LostCheckpointException(String message, boolean missing) {
            super(message);
            this.missing = missing;
        }

        /** Whether the server has lost the checkpoint. Otherwise another load is the owner. */
        boolean isMissing() {
            return missing;
        }
    }

    private CheckpointInTarget(
            CheckpointOptions options, CheckpointBinding binding, RedisClient client, CheckpointStep.Listener steps) {
        this.options = options;
        this.binding = binding;
        this.client = client;
        this.steps = steps;
        this.connection = client.borrow();
    }

    /**
     * Opens the checkpoint and becomes its owner.
     *
     * @throws PlanException if there is a checkpoint and the load does not resume, if the plan or the source differs, or
     *     if the user lacks a permission
     * @throws ErrorReplyException if the server refuses all commands, as while it loads its data
     * @throws RedisException if Redis cannot be reached
     */
    static CheckpointInTarget open(
            CheckpointOptions options, CheckpointBinding binding, ClientOptions redis, CheckpointStep.Listener steps) {
        RedisClient client = RedisClient.connect(redis);
        try {
            CheckpointInTarget opened = new CheckpointInTarget(options, binding, client, steps);
            opened.checkPermissions();
            opened.becomeOwner(opened::firstValues);
            opened.start = opened.stored.position();
            return opened;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private void checkPermissions() {
        try {
            Transaction empty = connection.transaction();
            var unused = empty.add(Keys.type(options.key()));
            var unusedEnding = empty.run();
            var unusedInfo = connection.call(INFO);
            kill(NO_CONNECTION);
        } catch (ErrorReplyException e) {
            if (ServerError.of(e).concernsServer()) {
                throw e;
            }
            throw new PlanException(
                    "a checkpoint in Redis needs the permission for MULTI, EXEC, WATCH, INFO, CLIENT ID and CLIENT KILL: "
                            + ServerError.sentence(String.valueOf(e.getMessage()))
                            + " Permit these commands, or load without a checkpoint.",
                    e);
        }
    }

    private void kill(String id) {
        // The reply is the number of closed connections, or an error in an old form of the command.
        var unused = connection.call(Command.of("CLIENT KILL", "ID", id));
    }

    /** The values of the hash when this load becomes its owner. Throws if the load may not use the checkpoint. */
    private Map<String, String> firstValues(StoredCheckpoint found) {
        if (found.values().isEmpty()) {
            return StoredCheckpoint.begin(binding, Optional.empty());
        }
        found.check(place());
        boolean same = CheckpointBinding.in(found.values()).difference(binding).isEmpty();
        if (found.isComplete() && !same) {
            // The earlier load has ended, and this is another load.
            return StoredCheckpoint.begin(binding, Optional.empty());
        }
        if (!options.resume()) {
            throw new PlanException(
                    found.isComplete()
                            ? "the same rows were loaded before: " + place() + ", rows="
                                    + found.position().rows() + ". To load them again, delete this key."
                            : "there is a checkpoint of a load that has not ended: " + place() + ", rows="
                                    + found.position().rows() + ". Add --resume to continue this load. To load from"
                                    + " the beginning, delete this key and the written rows.");
        }
        found.checkSame(binding, place(), removal());
        // The source may have more rows than when the earlier load was complete.
        Map<String, String> next = new HashMap<>(found.values());
        next.remove(StoredCheckpoint.COMPLETE);
        return next;
    }

    /**
     * Records this load and its connection in the hash, closes the connection of the earlier owner, and reads the
     * position.
     *
     * @param change returns the new values of the hash; may throw
     */
    private void becomeOwner(Function<StoredCheckpoint, Map<String, String>> change) {
        Optional<String> runId = ServerFacts.of(connection.call(INFO)).flatMap(ServerFacts::runId);
        String id = Long.toString(connection.call(Server.clientId()));
        StoredCheckpoint found;
        Transaction.Ending ending;
        do {
            var unused = connection.call(Transactions.watch(options.key()));
            found = read();
            Map<String, String> next = change.apply(found);
            next.put(StoredCheckpoint.OWNER, owner);
            next.put(StoredCheckpoint.CONNECTION, id);
            runId.ifPresent(text -> next.put(StoredCheckpoint.RUN_ID, text));
            Transaction transaction = connection.transaction();
            var unusedDeletion = transaction.add(Keys.delete(options.key()));
            var unusedAddition = transaction.add(Hashes.set(options.key(), next));
            ending = transaction.run();
        } while (ending == Transaction.Ending.CONFLICT);
        Optional<String> earlier = found.text(StoredCheckpoint.CONNECTION);
        if (earlier.isPresent() && runId.isPresent() && runId.equals(found.text(StoredCheckpoint.RUN_ID))) {
            kill(earlier.get());
        }
        stored = read();
    }

    private StoredCheckpoint read() {
        try {
            return new StoredCheckpoint(connection.call(Hashes.getAll(options.key())));
        } catch (ErrorReplyException e) {
            if (ServerError.of(e).concernsServer()) {
                throw e;
            }
            throw new PlanException(
                    "the checkpoint cannot be read: " + place() + " ("
                            + ServerError.sentence(String.valueOf(e.getMessage())) + "). Choose another name.",
                    e);
        }
    }

    /**
     * Connects again after a lost connection, and reads the position.
     *
     * @throws RedisException if the server cannot be reached
     * @throws LostCheckpointException if another load has become the owner, or if the server has lost the checkpoint
     */
    void reconnect() {
        connection.close();
        connection = client.borrow();
        becomeOwner(now -> {
            String why = whyLost(now);
            if (!why.isEmpty()) {
                lost = true;
                throw new LostCheckpointException(why, now.values().isEmpty());
            }
            return new HashMap<>(now.values());
        });
    }

    private String whyLost(StoredCheckpoint now) {
        if (now.values().isEmpty()) {
            return "the server has lost the checkpoint, and so at least the last rows: " + place()
                    + ". Check the server, delete the rest of the rows, and load from the beginning.";
        }
        return now.text(StoredCheckpoint.OWNER).equals(Optional.of(owner))
                ? ""
                : "another load continues with this checkpoint: " + place() + ". Wait for its end.";
    }

    /** The position that was read at the last connection. */
    CheckpointPosition position() {
        return stored.position();
    }

    /** The position after the last row that was read. */
    CheckpointPosition readPosition() {
        return digest.position();
    }

    /** A transaction over the connection of this checkpoint. */
    Transaction transaction() {
        return connection.transaction();
    }

    /** The command that stores {@code position}. */
    Command<Long> store(CheckpointPosition position) {
        return Hashes.set(
                options.key(),
                Map.of(
                        StoredCheckpoint.ROWS, Long.toString(position.rows()),
                        StoredCheckpoint.DIGEST, Long.toString(position.digest())));
    }

    /** Records that {@code position} is stored. */
    void stored(CheckpointPosition position) {
        Map<String, String> values = new HashMap<>(stored.values());
        values.put(StoredCheckpoint.ROWS, Long.toString(position.rows()));
        values.put(StoredCheckpoint.DIGEST, Long.toString(position.digest()));
        stored = new StoredCheckpoint(values);
    }

    /** The type of {@code key}, as the server calls it. */
    String typeOf(byte[] key) {
        return connection.call(Keys.type(key));
    }

    void reached(CheckpointStep step) {
        steps.reached(step);
    }

    @Override
    public String place() {
        return "key=" + options.key();
    }

    @Override
    public String removal() {
        return "delete this key and the written rows";
    }

    @Override
    public CheckpointPosition start() {
        return start;
    }

    /** The transactions store the position, so only the digest needs the rows. */
    @Override
    public CheckpointRows begin(RowDigest skipped) {
        digest = skipped;
        return new CheckpointRows() {
            @Override
            public void read(Row row) {
                skipped.add(row);
            }

            @Override
            public void done(Row row) {
                // The transaction of the row has stored the position.
            }

            @Override
            public void leftOpen() {
                // No transaction has stored the position of the row.
            }

            @Override
            public void takenBack(long firstRow) {
                // A failover takes back the position together with the rows.
            }
        };
    }

    @Override
    public LoadReport.Checkpoint end(boolean completed, Optional<String> runId) {
        steps.reached(CheckpointStep.ALL_ANSWERED);
        boolean all = completed && stored.position().rows() == digest.rows();
        if (all && !stored.isComplete()) {
            try {
                var unused = connection.call(Hashes.set(options.key(), StoredCheckpoint.COMPLETE, "1"));
            } catch (RedisException e) {
                // A resumed load finds the position after the last row, and has nothing to write.
                all = false;
            }
        }
        steps.reached(CheckpointStep.ENDED);
        return new LoadReport.Checkpoint(
                options.name(), options.key(), start.rows(), stored.position().rows(), state(all));
    }

    private LoadReport.Checkpoint.State state(boolean all) {
        if (lost) {
            return LoadReport.Checkpoint.State.LOST;
        }
        return all ? LoadReport.Checkpoint.State.COMPLETE : LoadReport.Checkpoint.State.CAN_RESUME;
    }

    /** Closes all connections without waiting for replies. Any thread. */
    void abort() {
        client.close();
    }

    @Override
    public void close() {
        connection.close();
        client.close();
    }
}
