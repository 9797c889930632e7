// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Streams to read and their start IDs, for {@code XREAD} and {@code XREADGROUP}:
 * {@code StreamRead.of("orders", "0").limit(100)}. Immutable.
 *
 * <p>A read returns the entries that follow the given ID. {@code $} stands for the ID of the newest entry. In a
 * consumer group, {@code >} stands for the ID of the last entry that was delivered to the group.
 *
 * @param <T> {@link String} or {@code byte[]}, for keys and fields
 */
public final class StreamRead<T> {

    private final List<T> keys;
    private final List<String> ids;
    private final long count;
    private final Duration wait;
    private final Function<Reply, T> decoder;

    private StreamRead(List<T> keys, List<String> ids, long count, Duration wait, Function<Reply, T> decoder) {
        this.keys = keys;
        this.ids = ids;
        this.count = count;
        this.wait = wait;
        this.decoder = decoder;
    }

    /** Reads the entries of {@code key} after {@code id}, without a limit and without blocking. */
    public static StreamRead<String> of(String key, String id) {
        return new StreamRead<>(List.of(key), List.of(id), 0, Duration.ZERO, Decoders.TEXT);
    }

    /** Same read as {@link #of(String, String)}, with a binary key and binary fields. */
    public static StreamRead<byte[]> of(byte[] key, String id) {
        return new StreamRead<>(List.of(key), List.of(id), 0, Duration.ZERO, Replies::bytes);
    }

    /** Returns a copy that also reads the entries of {@code key} after {@code id}. */
    public StreamRead<T> and(T key, String id) {
        List<T> moreKeys = new ArrayList<>(keys);
        List<String> moreIds = new ArrayList<>(ids);
        moreKeys.add(key);
        moreIds.add(id);
        return new StreamRead<>(moreKeys, moreIds, count, wait, decoder);
    }

    /** Returns a copy that reads at most {@code limit} entries per key, 1 to 2,147,483,647. */
    public StreamRead<T> limit(long limit) {
        return new StreamRead<>(keys, ids, Arguments.count("limit", limit), wait, decoder);
    }

    /**
     * Returns a copy that waits for an entry if there is no entry to read. The command of this copy runs on a dedicated
     * connection.
     *
     * @param newWait maximum time to block, 1 ms to 1 day
     */
    public StreamRead<T> waiting(Duration newWait) {
        Arguments.waitMillis(newWait);
        return new StreamRead<>(keys, ids, count, newWait, decoder);
    }

    /** Returns the command {@code spec} with {@code arguments}, followed by the arguments of this read. */
    Command<Map<T, List<StreamEntry<T>>>> command(CommandSpec<?> spec, Arguments arguments) {
        if (count > 0) {
            arguments.add("COUNT").add(count);
        }
        if (!wait.isZero()) {
            arguments.add("BLOCK").add(wait.toMillis());
        }
        arguments.add("STREAMS");
        KeyPositions positions = KeyPositions.range(arguments.size(), 1, ids.size());
        keys.forEach(arguments::add);
        ids.forEach(arguments::add);
        return arguments
                .to(spec.withKeys(positions).as(Replies.map(decoder, StreamEntry.listDecoder(decoder))))
                .blockingFor(wait);
    }
}
