// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Which streams to read, and from where: {@code StreamRead.of("orders", "0").limit(100)}.
 *
 * <p>The entries that come after an ID are read; {@code $} stands for the newest there is, and, in a group, {@code >} for
 * the newest that the group has been given.
 *
 * @param <T> {@link String} or {@code byte[]}, of keys and of fields
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

    /** The entries of {@code key} after {@code id}, all there are now. */
    public static StreamRead<String> of(String key, String id) {
        return new StreamRead<>(List.of(key), List.of(id), 0, Duration.ZERO, Replies::text);
    }

    /** The same for a key and fields of any bytes. */
    public static StreamRead<byte[]> of(byte[] key, String id) {
        return new StreamRead<>(List.of(key), List.of(id), 0, Duration.ZERO, Replies::bytes);
    }

    /** And the entries of another key. */
    public StreamRead<T> and(T key, String id) {
        List<T> moreKeys = new ArrayList<>(keys);
        List<String> moreIds = new ArrayList<>(ids);
        moreKeys.add(key);
        moreIds.add(id);
        return new StreamRead<>(moreKeys, moreIds, count, wait, decoder);
    }

    /** Of each key {@code most} entries, 1 to 2,147,483,647. */
    public StreamRead<T> limit(long most) {
        return new StreamRead<>(keys, ids, Arguments.count("most", most), wait, decoder);
    }

    /**
     * If there is nothing to read, waits for it on a connection to itself.
     *
     * @param newWait 1 ms to 1 day
     */
    public StreamRead<T> waiting(Duration newWait) {
        Arguments.waitMillis(newWait);
        return new StreamRead<>(keys, ids, count, newWait, decoder);
    }

    /** The command {@code spec}, which begins with {@code arguments} and goes on with this. */
    Command<Map<T, List<StreamEntry<T>>>> command(CommandSpec<?> spec, Arguments arguments) {
        if (count > 0) {
            arguments.add("COUNT").add(count);
        }
        if (!wait.isZero()) {
            arguments.add("BLOCK").add(wait.toMillis());
        }
        arguments.add("STREAMS");
        int firstKey = arguments.size();
        keys.forEach(arguments::add);
        ids.forEach(arguments::add);
        return arguments
                .to(spec.keyAt(firstKey).as(Replies.map(decoder, StreamEntry.listDecoder(decoder))))
                .blockingFor(wait);
    }
}
