// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Bitmaps;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Scripts;
import io.millrace.resp.Reply;
import java.util.Optional;

/**
 * Adds blocks of marks to bitmaps, whatever is in those. Many are sent as they are, as an argument of the script that adds them, so that
 * there is nothing of them on the server before that or after it; few one by one. Over a connection of its own, which is made for the
 * first block. Belongs to one thread.
 */
final class BlockAdder implements AutoCloseable {

    /** A mark sent by itself takes some forty bytes, and the server as long as to take as many of a block. */
    private static final int FEW = Blocks.BYTES / 40;

    private final RedisClient client;
    private final PackedKeys keys;
    private Optional<BulkWriter> writer = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private long blocks;
    private long added;

    BlockAdder(RedisClient client, PackedKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /** Sends a block. Of one bitmap the last comes first, so that the server allocates the whole at once and exactly as long as it is. */
    void add(Source source, long block, BlockMarks marks) {
        if (Thread.currentThread().isInterrupted()) {
            throw new BitmapException("interrupted while marks were added: blocks=" + blocks
                    + ". Add them again; those that are there already do no harm.");
        }
        BulkWriter open = writer.orElseGet(() -> client.bulkWriter(BulkOptions.DEFAULT, this::ended));
        writer = Optional.of(open);
        blocks++;
        if (marks.areAtMost(FEW)) {
            sendEach(open, source, block, marks.ids(block));
        } else {
            sendWhole(open, source, block, Words.trimmed(marks.bits()));
        }
        refuseFailure();
    }

    /** Waits until all have been added, and answers how many bits were not set before. */
    long finish() {
        writer.ifPresent(BulkWriter::finish);
        refuseFailure();
        return added;
    }

    @Override
    public void close() {
        writer.ifPresent(BulkWriter::close);
    }

    private void sendWhole(BulkWriter to, Source source, long block, byte[] bits) {
        to.begin(Scripts.EVAL).arg(BitScripts.ADD_BLOCK.body()).arg(keys.chunked() ? 4 : 3);
        to.arg(keys.keyOfBlock(source, block))
                .arg(keys.prefix() + "temporary:1")
                .arg(keys.prefix() + "temporary:2");
        if (keys.chunked()) {
            to.arg(keys.numbers(source));
        }
        to.arg(keys.offsetOfBlock(block)).arg(bits);
        if (keys.chunked()) {
            to.arg(block);
        }
        to.end(0);
    }

    private void sendEach(BulkWriter writer, Source source, long block, long[] ids) {
        for (int end = ids.length; end > 0; end -= BitSetter.MOST) {
            if (keys.chunked()) {
                writer.begin(Scripts.EVAL).arg(BitScripts.MARK_IN_CHUNK.body()).arg(2);
                writer.arg(keys.keyOfBlock(source, block))
                        .arg(keys.numbers(source))
                        .arg(block);
            } else {
                writer.begin(Bitmaps.BITFIELD).arg(keys.keyOfBlock(source, block));
            }
            for (int i = Math.max(0, end - BitSetter.MOST); i < end; i++) {
                writer.arg("SET").arg("u1").arg(keys.offset(ids[i])).arg(1);
            }
            writer.end(0);
        }
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        if (outcome instanceof Outcome.Ok(Reply reply)) {
            added += reply instanceof Reply.IntegerReply ? Replies.integer(reply) : BitSetter.unset(reply);
        } else if (failure.isEmpty()) {
            failure = Optional.of("command=" + command + ", outcome=" + outcome);
        }
    }

    private void refuseFailure() {
        if (failure.isPresent()) {
            throw new BitmapException("marks were not added: blocks=" + blocks + ", " + failure.get()
                    + ". Mend what the outcome says and add them again; those that are there already do no harm.");
        }
    }
}
