// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Strings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;

/**
 * The result of a {@link Program} on the server for as long as it is read. It is deleted by {@link #close}; if nobody comes to do that it
 * expires, {@link #KEPT} after the last block was asked for.
 */
final class Temporary implements AutoCloseable {

    /** Long enough for a reader that does something with what it reads, short enough for the server's memory. */
    static final Duration KEPT = Duration.ofMinutes(1);

    private final RedisClient client;
    private final String key;
    private final long length;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Temporary(RedisClient client, String key, long length) {
        this.client = client;
        this.key = key;
        this.length = length;
    }

    /** Has {@code program} run, with {@code sourceKeys} and with temporaries whose names begin with {@code prefix}. */
    static Temporary of(RedisClient client, Program program, List<String> sourceKeys, String prefix) {
        List<String> keys = keys(program, sourceKeys, prefix);
        String result = keys.getLast();
        try {
            List<String> arguments = arguments(program, Long.toString(KEPT.toMillis()));
            long length = Replies.integer(ServerScript.run(client, BitScripts.COMBINE, keys, arguments));
            return new Temporary(client, result, length);
        } catch (RuntimeException e) {
            // It may have been executed all the same, or may still be. Not waited for: this thread may be interrupted.
            Leftovers.delete(client, List.of(result));
            throw e;
        }
    }

    static List<String> keys(Program program, List<String> sourceKeys, String prefix) {
        List<String> keys = new ArrayList<>(sourceKeys);
        for (int i = 1; i <= program.steps().size(); i++) {
            keys.add(prefix + ":" + i);
        }
        return keys;
    }

    static List<String> arguments(Program program, String mode) {
        List<String> arguments = new ArrayList<>();
        arguments.add(Integer.toString(program.sources().size()));
        arguments.add(mode);
        arguments.addAll(program.steps());
        return arguments;
    }

    LongStream blocks() {
        return LongStream.range(0, Blocks.covering(length));
    }

    CompletableFuture<long[]> fetch(long block) {
        CompletableFuture<Boolean> unused = client.send(Keys.expire(key, KEPT));
        long offset = block * Blocks.BYTES;
        long expected = Math.min(Blocks.BYTES, length - offset);
        return client.send(Strings.getRange(key.getBytes(StandardCharsets.UTF_8), offset, offset + expected - 1))
                .thenApply(bytes -> {
                    if (bytes.length != expected) {
                        throw new BitmapException("a result has gone from the server while it was read: key=" + key
                                + ", offset=" + offset + ", kept=" + KEPT + ". Read without such pauses.");
                    }
                    return Words.of(bytes, (bytes.length + 7) >>> 3);
                });
    }

    /** Does not wait: whoever closes may be interrupted. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Leftovers.delete(client, List.of(key));
        }
    }
}
