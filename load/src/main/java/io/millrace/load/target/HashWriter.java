// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.IntegerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes fields to a hash and reads them back: with HSET and HMGET, or with scripts if the write also sets an expiry or
 * replaces the key.
 */
final class HashWriter {

    private static final byte[] ONE_KEY = {'1'};
    private static final byte[] READ_BACK = HashScripts.READ_BACK.getBytes(StandardCharsets.US_ASCII);

    private final boolean scripted;
    private final boolean replaces;
    private final Expiry expiry;
    private final byte[] script;
    private final byte[] ttl;

    private HashWriter(boolean replaces, Expiry expiry) {
        this.replaces = replaces;
        this.expiry = expiry;
        scripted = replaces || expiry.millis().isPresent();
        script = HashScripts.write(replaces, expiry.millis().isPresent()).getBytes(StandardCharsets.US_ASCII);
        ttl = Long.toString(expiry.millis().orElse(0)).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Creates a writer that adds fields to a hash or replaces their values. The writer also sets the expiry {@code ttl}
     * of the hash if it is present.
     */
    static HashWriter of(Optional<Duration> ttl) {
        return new HashWriter(false, Expiry.of(ttl));
    }

    /**
     * Creates a writer that deletes the key first, so that the hash has no other fields and no other expiry afterwards.
     */
    static HashWriter replacing(Optional<Duration> ttl) {
        return new HashWriter(true, Expiry.of(ttl));
    }

    /** The command that writes fields. {@link #begin} writes its first arguments. Each field and its value follow. */
    CommandSpec<?> command() {
        return scripted ? Commands.EVAL : Commands.HSET;
    }

    /** How the command may be fused for rows that share a hash. A script is never fused. */
    Set<Fusion> fusion() {
        return scripted ? Fusion.NONE : Set.of(Fusion.HSET);
    }

    void begin(ArgumentSink sink, byte[] key, int keyLength) {
        if (scripted) {
            sink.arg(script).arg(ONE_KEY).arg(key, 0, keyLength).arg(ttl);
        } else {
            sink.arg(key, 0, keyLength);
        }
    }

    /** The command that reads fields back. {@link #beginReadBack} writes its first arguments. Each field follows. */
    CommandSpec<?> readBack() {
        return scripted ? Commands.EVAL : Commands.HMGET;
    }

    void beginReadBack(ArgumentSink sink, byte[] key, int keyLength) {
        if (scripted) {
            sink.arg(READ_BACK).arg(ONE_KEY);
        }
        sink.arg(key, 0, keyLength);
    }

    /** Whether a hash that was written at most {@code age} ago may have expired. */
    boolean mayHaveExpired(Duration age) {
        return expiry.mayHavePassed(age);
    }

    /** Whether {@code reply} reports that the hash does not exist, and the expiry may be the reason. */
    boolean hasExpired(Reply reply, Duration age) {
        return mayHaveExpired(age)
                && reply instanceof ArrayReply(List<Reply> items)
                && !items.isEmpty()
                && items.getFirst() instanceof IntegerReply(long pttl)
                && pttl == Expiry.NO_KEY;
    }

    /**
     * The values of the requested fields.
     *
     * @param reply reply to {@link #readBack}
     * @param count number of requested fields
     * @param age longest time since the write
     * @return an empty list if there is no such hash, or if its expiry or its number of fields is not the written value
     */
    List<Reply> values(Reply reply, int count, Duration age) {
        if (!(reply instanceof ArrayReply(List<Reply> items))) {
            return List.of();
        }
        List<Reply> values = scripted ? valuesOfScript(items, count, age) : items;
        return values.size() == count ? values : List.of();
    }

    /**
     * How {@code reply} differs from a hash with these fields, apart from their values.
     *
     * @param count number of requested fields
     * @param age longest time since the write
     * @return empty if key, type, expiry and number of fields are as written
     */
    Optional<Difference> difference(Reply reply, int count, Duration age) {
        if (!(reply instanceof ArrayReply(List<Reply> items))) {
            return Optional.of(Difference.of(Difference.Kind.TYPE));
        }
        if (!scripted) {
            return Optional.empty();
        }
        if (items.size() < 2
                || !(items.get(0) instanceof IntegerReply(long pttl))
                || !(items.get(1) instanceof IntegerReply(long fields))) {
            return Optional.of(Difference.of(Difference.Kind.TYPE));
        }
        if (pttl == Expiry.NO_KEY) {
            return Optional.of(Difference.of(Difference.Kind.ABSENT));
        }
        if (!expiry.allows(pttl, age)) {
            return Optional.of(expiry.difference(pttl));
        }
        return fields == count || !replaces
                ? Optional.empty()
                : Optional.of(Difference.of(Difference.Kind.FIELDS, Integer.toString(count), Long.toString(fields)));
    }

    private List<Reply> valuesOfScript(List<Reply> items, int count, Duration age) {
        boolean asWritten = items.size() >= 2
                && items.get(0) instanceof IntegerReply(long pttl)
                && items.get(1) instanceof IntegerReply(long fields)
                && expiry.allows(pttl, age)
                && (fields == count || !replaces);
        if (!asWritten) {
            return List.of();
        }
        List<Reply> values = new ArrayList<>(count);
        for (Reply chunk : items.subList(2, items.size())) {
            if (chunk instanceof ArrayReply(List<Reply> some)) {
                values.addAll(some);
            }
        }
        return values;
    }
}
