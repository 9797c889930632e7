// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;

/**
 * The temporary result of a {@link BitopProgram} on the server. {@link #close} deletes the result. If the result is not
 * closed, the result expires {@link #EXPIRY} after the last read.
 */
final class TemporaryResult implements AutoCloseable {

    /** Long enough for readers that process ids between two reads, and short enough to limit the server's memory. */
    static final Duration EXPIRY = Duration.ofMinutes(1);

    private final RedisClient client;
    private final String key;
    private final long length;
    private final AtomicBoolean closed = new AtomicBoolean();

    private TemporaryResult(RedisClient client, String key, long length) {
        this.client = client;
        this.key = key;
        this.length = length;
    }

    /** Runs {@code bitopProgram}. The names of the temporary keys begin with {@code prefix}. */
    static TemporaryResult of(RedisClient client, BitopProgram bitopProgram, List<String> sourceKeys, String prefix) {
        List<String> keys = keys(bitopProgram, sourceKeys, prefix);
        String result = keys.getLast();
        try {
            List<String> arguments = arguments(bitopProgram, Long.toString(EXPIRY.toMillis()));
            long length =
                    client.call(Scripts.run(BitScripts.COMBINE, keys, arguments).as(Replies::integer));
            return new TemporaryResult(client, result, length);
        } catch (RuntimeException e) {
            // The server may have executed the script, or may execute the script later. So the temporary result must be
            // deleted. The delete does not wait for the reply, because this thread may be interrupted.
            BestEffortDelete.delete(client, List.of(result));
            throw e;
        }
    }

    static List<String> keys(BitopProgram bitopProgram, List<String> sourceKeys, String prefix) {
        List<String> keys = new ArrayList<>(sourceKeys);
        for (int i = 1; i <= bitopProgram.steps().size(); i++) {
            keys.add(prefix + ":" + i);
        }
        return keys;
    }

    static List<String> arguments(BitopProgram bitopProgram, String mode) {
        List<String> arguments = new ArrayList<>();
        arguments.add(Integer.toString(bitopProgram.sources().size()));
        arguments.add(mode);
        arguments.addAll(bitopProgram.steps());
        return arguments;
    }

    LongStream blocks() {
        return LongStream.range(0, Blocks.count(length));
    }

    CompletableFuture<long[]> fetch(long block) {
        CompletableFuture<Boolean> unused = client.send(Keys.expire(key, EXPIRY));
        long offset = block * Blocks.BYTES;
        long expected = Math.min(Blocks.BYTES, length - offset);
        return client.send(Strings.getRange(key.getBytes(StandardCharsets.UTF_8), offset, offset + expected - 1))
                .thenApply(bytes -> {
                    if (bytes.length != expected) {
                        throw new BitmapException("a temporary result expired or was deleted while it was read: key="
                                + key
                                + ", offset=" + offset + ", kept=" + EXPIRY + ". Read without long pauses.");
                    }
                    return Words.of(bytes, (bytes.length + 7) >>> 3);
                });
    }

    /** Deletes the result. Does not wait for the reply, because the calling thread may be interrupted. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            BestEffortDelete.delete(client, List.of(key));
        }
    }
}
