// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter.Traffic;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.Result;
import io.millrace.client.Transaction;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.source.Row;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ErrorReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows in transactions that also store the position of a {@link CheckpointInTarget}.
 *
 * <p>DESIGN. A transaction is sent only after the server has executed the transaction before it. So the position never
 * passes a row that is not written.
 *
 * <pre>
 *   MULTI | RPUSH list a b c … | HSET millrace:checkpoint:NAME rows 2000 digest … | EXEC
 * </pre>
 *
 * <p>If the connection is lost during a transaction, the load connects again and reads the position. The position says
 * whether the server has executed the transaction. If not, the rows are sent again. So no row is unconfirmed as long as
 * the server comes back.
 *
 * <p>Confined to the loading thread, except {@link #totals} and {@link #abort}.
 */
final class TransactionSender implements RowSender {

    /** A larger transaction is hardly faster, and occupies the server longer. */
    static final int MAX_ROWS = 1_000;

    /** Limits the memory of a transaction in the server. */
    private static final long MAX_BYTES = 256L << 10;

    /** Rows of a slow source are sent after this time, when the next row arrives. */
    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CheckpointInTarget checkpoint;
    private final RowMapping mapping;
    private final String type;
    private final boolean appends;
    private final Recovery recovery;
    private final Runnable beforeTransaction;
    private final Consumer<? super Row> onBegun;
    private final LoadConnection.OutcomeListener onOutcome;
    private final ArrayDeque<Row> freeRows = new ArrayDeque<>();

    /** The commands of the next transaction. */
    private List<TransactionCommand> pending = new ArrayList<>();

    private @Nullable TransactionCommand begun;
    /** Whether a row was neither written nor rejected. No later position may be stored. */
    private boolean broken;

    private int pendingRows;
    private long pendingBytes;
    private long firstNanos;
    private long waitNanos;
    private volatile ReplaceableWriter.WriterTotals totals = ReplaceableWriter.WriterTotals.NONE;

    /**
     * Creates the sender.
     *
     * @param type Redis type of the keys, such as {@code list}
     * @param fusion whether rows may share a command
     * @param beforeTransaction writes the rejected rows to the disk
     * @param onBegun receives each row whose arguments have been added to its command
     */
    TransactionSender(
            CheckpointInTarget checkpoint,
            RowMapping mapping,
            String type,
            boolean fusion,
            Recovery recovery,
            Runnable beforeTransaction,
            Consumer<? super Row> onBegun,
            LoadConnection.OutcomeListener onOutcome) {
        this.checkpoint = checkpoint;
        this.mapping = mapping;
        this.type = type;
        this.appends = fusion && mapping.fusion().contains(Fusion.RPUSH);
        this.recovery = recovery;
        this.beforeTransaction = beforeTransaction;
        this.onBegun = onBegun;
        this.onOutcome = onOutcome;
    }

    @Override
    public Row freeRow() {
        Row row = freeRows.poll();
        return row == null ? new Row() : row;
    }

    /** Sends the complete command, because a script that is missing in a transaction would be an error of its row. */
    @Override
    public void begin(Row row) {
        TransactionCommand command = new TransactionCommand(mapping.command(), appends, row, checkpoint.readPosition());
        mapping.write(row, command);
        begun = command;
        onBegun.accept(row);
    }

    @Override
    public void end(Row row) {
        TransactionCommand command = begun;
        if (command == null) {
            throw new IllegalStateException("no row has begun");
        }
        begun = null;
        if (pending.isEmpty()) {
            firstNanos = System.nanoTime();
        }
        pendingBytes += command.bytes();
        if (pending.isEmpty() || !pending.getLast().absorb(command)) {
            pending.add(command);
        }
        pendingRows++;
        if (pendingRows >= MAX_ROWS || pendingBytes >= MAX_BYTES || System.nanoTime() - firstNanos >= MAX_NANOS) {
            send();
        }
    }

    @Override
    public void finish() {
        send();
    }

    private void send() {
        List<TransactionCommand> commands = pending;
        pending = new ArrayList<>();
        pendingRows = 0;
        pendingBytes = 0;
        CheckpointPosition position = checkpoint.readPosition();
        if (broken) {
            report(commands, new Outcome.Lost(false, "the load has stopped"));
        } else if (position.rows() > checkpoint.position().rows()) {
            long start = System.nanoTime();
            beforeTransaction.run();
            broken = !execute(commands, position);
            waitNanos += System.nanoTime() - start;
        }
    }

    /**
     * Executes a transaction, and waits for the server if necessary. Each row gets its outcome.
     *
     * @return whether every row is done
     */
    private boolean execute(List<TransactionCommand> commands, CheckpointPosition position) {
        while (true) {
            Failure failure;
            try {
                run(commands, position);
                return true;
            } catch (ErrorReplyException e) {
                if (isOfOneCommand(e)) {
                    return refused(commands, new Outcome.Failed(ServerError.reply(e)));
                }
                failure = failure(e);
            } catch (RedisException e) {
                Outcome.Lost lost = new Outcome.Lost(e.maybeExecuted(), String.valueOf(e.getMessage()));
                failure = new Failure(lost, Trouble.lost(lost, recovery.patience()), true);
            }
            if (!failure.waits() || !recover(failure.trouble())) {
                report(commands, failure.outcome());
                return false;
            }
            if (checkpoint.position().rows() >= position.rows()) {
                reportExecuted(commands);
                return true;
            }
        }
    }

    /**
     * Why a transaction failed.
     *
     * @param outcome outcome of its rows if they are not sent again
     * @param waits whether the load waits and tries again
     */
    private record Failure(Outcome outcome, Trouble trouble, boolean waits) {}

    private Failure failure(ErrorReplyException e) {
        ErrorReply error = ServerError.reply(e);
        ServerError kind = ServerError.of(error);
        Trouble trouble = Trouble.refused(kind, error, recovery.patience());
        // Without MULTI, the server has executed the commands one by one.
        return e.maybeExecuted()
                ? new Failure(new Outcome.TimedOut(), trouble, false)
                : new Failure(new Outcome.Failed(error), trouble, kind.isTemporary());
    }

    /** Whether the error concerns a key or the arguments of one command, and the transaction was not executed. */
    private static boolean isOfOneCommand(ErrorReplyException e) {
        ServerError kind = ServerError.of(e);
        return !e.maybeExecuted() && !kind.isTemporary() && !kind.isHopeless();
    }

    /** The server refused one of the commands, and executed none. Then only the rows of this command are rejected. */
    private boolean refused(List<TransactionCommand> commands, Outcome.Failed failed) {
        if (commands.size() <= 1) {
            report(commands, failed);
            return true;
        }
        for (int i = 0; i < commands.size(); i++) {
            TransactionCommand command = commands.get(i);
            if (!execute(List.of(command), command.position())) {
                report(commands.subList(i + 1, commands.size()), new Outcome.Lost(false, "the load has stopped"));
                return false;
            }
        }
        return true;
    }

    private void run(List<TransactionCommand> commands, CheckpointPosition position) {
        Transaction transaction = checkpoint.transaction();
        List<Result<?>> results = new ArrayList<>(commands.size());
        long bytes = 0;
        for (TransactionCommand command : commands) {
            results.add(transaction.add(command.command()));
            bytes += command.bytes();
        }
        var unused = transaction.add(checkpoint.store(position));
        checkpoint.reached(CheckpointStep.COLLECTED);
        var unusedEnding = transaction.run();
        checkpoint.reached(CheckpointStep.EXECUTED);
        checkpoint.stored(position);
        recovery.acknowledged();
        addTraffic(bytes);
        for (int i = 0; i < commands.size(); i++) {
            report(commands.get(i), results.get(i).outcome());
        }
    }

    /** Waits, and connects again. Returns false if the load has stopped. */
    private boolean recover(Trouble trouble) {
        if (recovery.isPossible()) {
            CheckpointPosition before = checkpoint.position();
            while (recovery.await(trouble)) {
                try {
                    checkpoint.reconnect();
                } catch (RedisException e) {
                    recovery.attemptFailed(String.valueOf(e.getMessage()));
                    continue;
                } catch (CheckpointInTarget.LostCheckpointException | PlanException e) {
                    recovery.giveUp(String.valueOf(e.getMessage()));
                    return false;
                }
                if (checkpoint.position().rows() < before.rows()) {
                    recovery.giveUp("the server has lost rows that it had acknowledged: acknowledged=" + before.rows()
                            + ", checkpoint=" + checkpoint.position().rows()
                            + ". Continue with --resume: the checkpoint and the rows agree");
                    return false;
                }
                recovery.connected(Optional.empty());
                return true;
            }
        }
        recovery.giveUp(trouble);
        return false;
    }

    /**
     * Reports rows of a transaction whose replies were lost. The position says that the server has executed it. Only a
     * key of another type can have refused its rows.
     */
    private void reportExecuted(List<TransactionCommand> commands) {
        for (TransactionCommand command : commands) {
            Outcome outcome;
            try {
                var unused = mapping.prepare(command.rows().getFirst());
                byte[] key = Arrays.copyOf(mapping.key(), mapping.keyLength());
                String found = checkpoint.typeOf(key);
                outcome = found.equals(type) || found.equals("none")
                        ? new Outcome.Ok(new Reply.IntegerReply(1))
                        : new Outcome.Failed(
                                new ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value"));
            } catch (RedisException e) {
                outcome = new Outcome.TimedOut();
            }
            report(command, outcome);
        }
    }

    private void report(List<TransactionCommand> commands, Outcome outcome) {
        commands.forEach(command -> report(command, outcome));
    }

    private void report(TransactionCommand command, Outcome outcome) {
        addCounts(command.rows().size(), outcome);
        for (Row row : command.rows()) {
            onOutcome.onOutcome(row, outcome);
            row.trim();
            freeRows.push(row);
        }
    }

    private void addCounts(int rows, Outcome outcome) {
        CommandCounts counts = switch (outcome) {
            case Outcome.Ok ok -> new CommandCounts(rows, rows, 0, 0, 0, 0, 0);
            case Outcome.Failed failed -> new CommandCounts(rows, 0, rows, 0, 0, 0, 0);
            case Outcome.TimedOut timedOut -> new CommandCounts(rows, 0, 0, rows, 0, 0, 0);
            case Outcome.Refused refused -> new CommandCounts(rows, 0, 0, 0, rows, 0, 0);
            case Outcome.Lost lost -> new CommandCounts(rows, 0, 0, 0, 0, rows, 0);
        };
        FusionCounts fusion = rows > 1 ? new FusionCounts(1, rows) : FusionCounts.NONE;
        totals = totals.plus(new ReplaceableWriter.WriterTotals(counts, fusion, new Traffic(0, 0, 0, 0), List.of()));
    }

    private void addTraffic(long bytes) {
        totals = totals.plus(
                new ReplaceableWriter.WriterTotals(
                CommandCounts.NONE, FusionCounts.NONE, new Traffic(bytes, 0, 0, 0), List.of()));
    }

    @Override
    public long waitNanos() {
        return waitNanos;
    }

    @Override
    public ReplaceableWriter.WriterTotals totals() {
        return totals;
    }

    @Override
    public void abort() {
        checkpoint.abort();
    }

    /** The checkpoint owns the connection. */
    @Override
    public void close() {}
}
