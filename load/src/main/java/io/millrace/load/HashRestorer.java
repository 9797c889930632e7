// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashRestore;
import io.millrace.resp.Reply.IntegerReply;

/**
 * Writes the rows of one connection with {@code RESTORE}.
 *
 * <p>DESIGN. The server refuses the rows of existing keys, unless the rows replace their keys. Rows in flight are then
 * sent a second time, each in a command of its own. So a connection begins slowly: it waits for the outcome of the 1st,
 * the 8th, the 64th row, and so on, before it sends another row. A reload of existing keys is refused at its first row.
 * And the number of rows that are sent twice is always at most eight times the number of rows that were restored.
 *
 * <p>Confined to the loading thread.
 */
final class HashRestorer implements RowImporter {

    /** The limits of a server that does not report its limits: its defaults. The lower of two defaults, for the fields. */
    private static final int DEFAULT_FIELDS = 128;

    private static final int DEFAULT_BYTES = 64;

    private static final int GROWTH = 8;

    private final HashRestore hashRestore;
    private final long maxFields;
    private final long maxBytes;

    /** Number of rows that have begun on this connection. */
    private long rows;

    /** The number of {@link #rows} at which the connection waits next. */
    private long nextWait = 1;

    /** Whether the row that has begun is the last row before a wait. */
    private boolean awaitsOutcome;

    private boolean stopped;

    /**
     * Creates the restorer of one connection.
     *
     * @param limits the limits up to which the server keeps a hash in its compact form
     */
    HashRestorer(HashRestore hashRestore, HashLimits limits) {
        this.hashRestore = hashRestore;
        this.maxFields = limits.entries().orElse(DEFAULT_FIELDS);
        this.maxBytes = limits.valueBytes().orElse(DEFAULT_BYTES);
    }

    @Override
    public boolean beginFieldSet(Row row, BulkWriter writer) {
        return false;
    }

    @Override
    public boolean begin(Row row, BulkWriter writer) {
        awaitsOutcome = false;
        if (stopped || !hashRestore.encode(row, maxFields, maxBytes)) {
            return false;
        }
        rows++;
        if (rows == nextWait) {
            nextWait *= GROWTH;
            awaitsOutcome = true;
        }
        hashRestore.write(writer.begin(HashRestore.RESTORE));
        return true;
    }

    @Override
    public boolean awaitsOutcome() {
        return awaitsOutcome;
    }

    /** If only missing rows are written, the error for an existing key is the reply 0 of the script: left out. */
    @Override
    public Outcome meaning(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed && hashRestore.isLeftOut(failed.error())
                ? new Outcome.Ok(new IntegerReply(0))
                : outcome;
    }

    /** Begins slowly again. */
    @Override
    public void connectionReplaced() {
        rows = 0;
        nextWait = 1;
    }

    @Override
    public void stop() {
        stopped = true;
    }
}
