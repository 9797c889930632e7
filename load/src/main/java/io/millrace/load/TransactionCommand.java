// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A command of a transaction, and the rows that it writes. Several rows share a command if they append to the same list:
 *
 * <pre>
 *   row 1: RPUSH list a    row 2: RPUSH list b    command: RPUSH list a b
 * </pre>
 *
 * <p>Confined to the loading thread.
 */
final class TransactionCommand implements ArgumentSink {

    /** As in {@link io.millrace.client.command.Fusion}: a longer command gains nothing. */
    private static final int MAX_ROWS = 64;

    private final CommandSpec<?> spec;
    private final boolean appends;
    private final List<byte[]> arguments = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private CheckpointPosition position;

    /**
     * Creates a command without arguments for {@code row}.
     *
     * @param appends whether each argument after the first one is an element that the command appends
     * @param position position after the row
     */
    TransactionCommand(CommandSpec<?> spec, boolean appends, Row row, CheckpointPosition position) {
        this.spec = spec;
        this.appends = appends;
        this.position = position;
        rows.add(row);
    }

    @Override
    public ArgumentSink arg(byte[] bytes, int offset, int length) {
        arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
        return this;
    }

    /** Takes over the row of {@code next}, if both append to the same list. Returns false otherwise. */
    boolean absorb(TransactionCommand next) {
        boolean fits = appends
                && next.appends
                && rows.size() < MAX_ROWS
                && Arrays.equals(arguments.getFirst(), next.arguments.getFirst());
        if (fits) {
            arguments.addAll(next.arguments.subList(1, next.arguments.size()));
            rows.addAll(next.rows);
            position = next.position;
        }
        return fits;
    }

    Command<?> command() {
        return Command.of(spec, arguments.toArray());
    }

    List<Row> rows() {
        return rows;
    }

    /** The position after the last row. */
    CheckpointPosition position() {
        return position;
    }

    /** The number of bytes of the arguments. */
    long bytes() {
        return arguments.stream().mapToLong(argument -> argument.length).sum();
    }
}
