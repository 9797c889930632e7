// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Makes the bits of one population and writes them to the server.
 *
 * <pre>
 *   worker threads: block, block, block -> calling thread: counts, encodes -> bulk connection -> key with an expiry
 *                                          compares the counts, then one script: removes the expiry, writes the header
 * </pre>
 */
final class PopulationWriter {

    /**
     * Expiry of an incomplete population. The write of each block renews the expiry, so a source may take one hour to make a
     * block.
     */
    static final Duration INCOMPLETE_EXPIRY = Duration.ofHours(1);

    private final RedisClient client;
    private final PopulationLayout layout;
    private final BitSource source;
    private final byte[] key;

    // Only the calling thread accesses these fields. The calling thread also receives the outcomes of the commands.
    private long ones;
    private Optional<String> failure = Optional.empty();

    PopulationWriter(RedisClient client, PopulationLayout layout, BitSource source) {
        this.client = client;
        this.layout = layout;
        this.source = source;
        this.key = layout.keyInBytes();
    }

    /** Writes the population and returns the number of set bits. */
    long write(ParallelMaker maker) {
        boolean complete = false;
        try {
            send(maker);
            check();
            publish();
            complete = true;
            return ones;
        } finally {
            if (!complete) {
                // Does not wait for the reply, because this thread may be interrupted. If the delete fails, the
                // population is either unpublished and its key expires, or it is published and complete, and may stay.
                BestEffortDelete.delete(client, headAndKey());
            }
        }
    }

    private void send(ParallelMaker maker) {
        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::ended)) {
            try {
                maker.inOrder(layout.blocks(), this::make, block -> {
                    send(writer, block);
                    throwIfFailed();
                });
            } finally {
                // Waits for all replies, also after a failure: blocks in flight must not arrive at the server after the
                // delete.
                writer.finish();
            }
        }
        throwIfFailed();
        if (Thread.currentThread().isInterrupted()) {
            throw new BitmapException("the thread was interrupted while it stored a population: name=" + layout.name()
                    + ". Store the population again.");
        }
    }

    /** A block that is ready to send. */
    @SuppressWarnings("ArrayRecordComponent") // blocks are never compared
    private record EncodedBlock(long number, byte[] bytes, long ones) {}

    private EncodedBlock make(long number) {
        long block = layout.blockToSend(number);
        int length = layout.bytesOf(block);
        byte[] bytes = new byte[(length + 7) & -8];
        long first = block * Blocks.WORDS;
        long set = 0;
        for (int i = 0; i < bytes.length >>> 3; i++) {
            long word = layout.word(source, first + i);
            set += Long.bitCount(word);
            Words.put(bytes, i, word);
        }
        return new EncodedBlock(number, bytes, set);
    }

    private void send(BulkWriter writer, EncodedBlock encodedBlock) {
        if (encodedBlock.number() == 0) {
            writer.begin(Keys.UNLINK).arg(key).end(0);
        }
        long block = layout.blockToSend(encodedBlock.number());
        // The same script writes the block and sets the expiry of the key. If another client has deleted the key, the
        // block creates the key again. This key also expires, even if the connection then breaks.
        writer.begin(Scripts.EVAL).arg(BitScripts.WRITE_EXPIRING.body()).arg(1).arg(key);
        writer.arg(layout.offsetOf(block)).arg(encodedBlock.bytes(), 0, layout.bytesOf(block));
        writer.arg(INCOMPLETE_EXPIRY.toMillis()).end(0);
        ones += encodedBlock.ones();
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        if (failure.isEmpty() && !(outcome instanceof Outcome.Ok)) {
            failure = Optional.of("key=" + layout.key() + ", command=" + command + ", outcome=" + outcome);
        }
    }

    private void throwIfFailed() {
        if (failure.isPresent()) {
            throw new BitmapException("a population was not stored: name=" + layout.name() + ", bits=" + layout.bits()
                    + ", " + failure.get() + ". Fix the cause and store the population again.");
        }
    }

    /** Compares the number of set bits on the server with the number that the client has sent. */
    private void check() {
        long counted = client.call(Bitmaps.count(layout.key()));
        if (counted != ones) {
            throw new BitmapException(
                    "the server has another number of set bits than the client sent: key=" + layout.key()
                            + ", sent=" + ones + ", counted=" + counted
                            + ". Another client writes to this key, or the server evicted the key."
                            + " Store the population again.");
        }
    }

    private void publish() {
        boolean published = client.call(Scripts.run(BitScripts.PUBLISH, headAndKey(), List.of(layout.bits(), ones))
                .as(Replies::flag));
        if (!published) {
            throw new BitmapException("a key was deleted while the population was stored: name=" + layout.name()
                    + ". Another client deleted the key, or the server evicted the key. Store the population again.");
        }
    }

    private List<String> headAndKey() {
        return List.of(layout.head(), layout.key());
    }
}
