// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.Optional;

/**
 * Adds blocks of marks to existing or new bitmaps. A block with many marks is sent as one argument of a script. The
 * script leaves no temporary key on the server. A block with few marks is sent as single bits. The writer uses a
 * separate connection, and opens this connection for the first block. Not thread-safe.
 */
final class BlockWriter implements AutoCloseable {

    /** Bytes of a single bit in a command. A single bit costs the server as much time as this number of bytes of a block. */
    private static final int SINGLE_MARK_BYTES = 40;

    private final RedisClient client;
    private final BitmapKeys keys;
    private Optional<BulkWriter> writer = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private long blocks;
    private MarkCounts counts = MarkCounts.NONE;

    BlockWriter(RedisClient client, BitmapKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /**
     * Sends a block. Send the last block of a bitmap first, so that the server allocates the string only one time, with
     * its final length.
     */
    void add(EventSpan eventSpan, long block, BlockBuffer marks) {
        if (Thread.currentThread().isInterrupted()) {
            throw new BitmapException("the load of marks was interrupted: sentBlocks=" + blocks
                    + ". Load the marks again. A mark that is already stored is not counted twice.");
        }
        BulkWriter open = writer.orElseGet(() -> client.bulkWriter(BulkOptions.DEFAULT, this::ended));
        writer = Optional.of(open);
        blocks++;
        if (marks.hasAtMost(keys.size().bytes() / SINGLE_MARK_BYTES)) {
            sendBits(open, eventSpan, block, marks.ids(block));
        } else {
            sendBlock(open, eventSpan, block, marks.bits());
        }
        throwIfFailed();
    }

    /** Waits for all replies. Returns the counts of all marks. */
    MarkCounts finish() {
        writer.ifPresent(BulkWriter::finish);
        throwIfFailed();
        return counts;
    }

    @Override
    public void close() {
        writer.ifPresent(BulkWriter::close);
    }

    private void sendBlock(BulkWriter to, EventSpan eventSpan, long block, long[] bits) {
        to.begin(Scripts.EVAL).arg(BitScripts.ADD_BLOCK.body()).arg(keys.chunked() ? 4 : 3);
        to.arg(keys.keyOfBlock(eventSpan, block))
                .arg(keys.prefix() + "temporary:1")
                .arg(keys.prefix() + "temporary:2");
        if (keys.chunked()) {
            to.arg(keys.chunkNumbersKey(eventSpan));
        }
        to.arg(keys.offsetOfBlock(block)).arg(Words.trimmed(bits)).arg(keys.expiresAtMillis(eventSpan));
        if (keys.chunked()) {
            to.arg(block);
        }
        to.end(Words.count(bits));
    }

    private void sendBits(BulkWriter writer, EventSpan eventSpan, long block, long[] ids) {
        for (int end = ids.length; end > 0; end -= BitSetter.MAX_BITS_PER_COMMAND) {
            if (keys.needsScript()) {
                beginScript(writer, eventSpan, block);
            } else {
                writer.begin(Bitmaps.BITFIELD).arg(keys.keyOfBlock(eventSpan, block));
            }
            int from = Math.max(0, end - BitSetter.MAX_BITS_PER_COMMAND);
            for (int i = from; i < end; i++) {
                writer.arg("SET").arg("u1").arg(keys.offset(ids[i])).arg(1);
            }
            writer.end(end - from);
        }
    }

    private void beginScript(BulkWriter writer, EventSpan eventSpan, long block) {
        List<String> names = keys.markedKeys(eventSpan, block);
        writer.begin(Scripts.EVAL).arg(BitScripts.MARK.body()).arg(names.size());
        names.forEach(writer::arg);
        writer.arg(keys.expiresAtMillis(eventSpan)).arg(block);
    }

    /** @param marks the number of marks of the command */
    private void ended(long marks, CommandSpec<?> command, Outcome outcome) {
        if (outcome instanceof Outcome.Ok(Reply reply)) {
            counts = counts.plus(MarkCounts.of(BitSetter.added(reply), marks));
        } else if (failure.isEmpty()) {
            failure = Optional.of("command=" + command + ", outcome=" + outcome);
        }
    }

    private void throwIfFailed() {
        if (failure.isPresent()) {
            throw new BitmapException("the load of marks failed: sentBlocks=" + blocks + ", " + failure.get()
                    + ". Fix the cause and load the marks again. A mark that is already stored is not counted twice.");
        }
    }
}
