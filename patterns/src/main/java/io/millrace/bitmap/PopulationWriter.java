// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Bitmaps;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Keys;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Makes the bits of one population and brings them to the server.
 *
 * <pre>
 *   crew: block, block, block -> this thread: counts, encodes -> bulk connection -> keys that expire
 *                                counts compared, then in one script: keys stay, head is written
 * </pre>
 */
final class PopulationWriter {

    /** How long what is not complete may lie there after it was last renewed. */
    static final Duration UNFINISHED = Duration.ofDays(1);

    /** Often enough, however long storing takes, and hardly ever for most. */
    private static final long RENEWAL_NANOS = UNFINISHED.dividedBy(4).toNanos();

    private final RedisClient client;
    private final PopulationLayout layout;
    private final BitSource source;
    private final LongSupplier nanoTime;

    // Owned by the thread that writes; the listener runs on it too.
    private final long[] ones;
    private long renewedAt;
    private Optional<String> failure = Optional.empty();

    PopulationWriter(RedisClient client, PopulationLayout layout, BitSource source, LongSupplier nanoTime) {
        this.client = client;
        this.layout = layout;
        this.source = source;
        this.nanoTime = nanoTime;
        this.renewedAt = nanoTime.getAsLong();
        this.ones = new long[Math.toIntExact(layout.keyCount())];
    }

    /** Returns how many bits are set. */
    long write(Crew crew) {
        boolean complete = false;
        try {
            send(crew);
            long total = check();
            publish(total);
            complete = true;
            return total;
        } finally {
            if (!complete) {
                // Not waited for: this thread may be interrupted. What is not deleted now expires, or was published as
                // a whole.
                Leftovers.delete(client, headAndKeys());
            }
        }
    }

    private void send(Crew crew) {
        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::ended)) {
            try {
                crew.inOrder(layout.blocks(), this::make, block -> {
                    send(writer, block);
                    refuseFailure();
                });
            } finally {
                // Also when it is given up: what is on its way must not arrive after what deletes it.
                writer.finish();
            }
        }
        refuseFailure();
        if (Thread.currentThread().isInterrupted()) {
            throw new BitmapException(
                    "interrupted while a population was stored: name=" + layout.name() + ". Store it again.");
        }
    }

    /** A block on its way. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Made(long number, byte[] bytes, long ones) {}

    private Made make(long number) {
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
        return new Made(number, bytes, set);
    }

    private void send(BulkWriter writer, Made made) {
        long block = layout.blockToSend(made.number());
        long key = layout.keyOf(block);
        byte[] name = layout.keyInBytes(key);
        if (layout.isFirstToSend(made.number())) {
            writer.begin(Keys.UNLINK).arg(name).end(key);
        }
        ExpiringKey.write(writer, name, layout.offsetOf(block), made.bytes(), layout.bytesOf(block), UNFINISHED, key);
        ones[(int) key] += made.ones();
        renewUpTo(writer, key);
    }

    /** What is complete of a population that takes days must not expire before the rest of it is there. */
    private void renewUpTo(BulkWriter writer, long lastKey) {
        long now = nanoTime.getAsLong();
        if (now - renewedAt < RENEWAL_NANOS) {
            return;
        }
        renewedAt = now;
        for (long key = 0; key < lastKey; key++) {
            writer.begin(Keys.PEXPIRE)
                    .arg(layout.keyInBytes(key))
                    .arg(UNFINISHED.toMillis())
                    .end(key);
        }
    }

    private void ended(long key, CommandSpec<?> command, Outcome outcome) {
        if (failure.isEmpty() && !(outcome instanceof Outcome.Ok)) {
            failure = Optional.of("key=" + layout.key(key) + ", command=" + command + ", outcome=" + outcome);
        }
    }

    private void refuseFailure() {
        if (failure.isPresent()) {
            throw new BitmapException("a population was not stored: name=" + layout.name() + ", bits=" + layout.bits()
                    + ", " + failure.get() + ". Mend what the outcome says and store it again.");
        }
    }

    /** Compares the server's counts with one's own. */
    private long check() {
        long total = 0;
        for (int key = 0; key < ones.length; key++) {
            long counted = client.call(Bitmaps.count(layout.key(key)));
            if (counted != ones[key]) {
                throw new BitmapException("a population is not what was sent: key=" + layout.key(key) + ", sent="
                        + ones[key] + ", counted=" + counted
                        + ". Somebody else writes to this key, or it was evicted; store it again.");
            }
            total += counted;
        }
        return total;
    }

    private void publish(long total) {
        boolean published = Replies.flag(ServerScript.run(
                client, BitScripts.PUBLISH, headAndKeys(), List.of(layout.bits(), layout.keyBytes(), total)));
        if (!published) {
            throw new BitmapException("a key of a population has gone while it was stored: name=" + layout.name()
                    + ". Somebody else deletes, or it was evicted; store it again.");
        }
    }

    private List<String> headAndKeys() {
        return Stream.concat(Stream.of(PopulationLayout.head(layout.name())), layout.keys().stream())
                .toList();
    }
}
