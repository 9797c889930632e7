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
 * Writes fields to a hash and reads them back: with HSET and HMGET, or with scripts if the write also sets an expiry,
 * replaces the key, or depends on the absence of the key.
 */
final class HashWriter {

    private static final byte[] ONE_KEY = "1".getBytes(StandardCharsets.US_ASCII);
    private static final Set<Fusion> HSETS = Set.of(Fusion.HSET);

    private final RowCommand command;
    private final boolean replaces;
    private final RowExpiry expiry;

    private HashWriter(RowCommand command, boolean replaces, RowExpiry expiry) {
        this.command = command;
        this.replaces = replaces;
        this.expiry = expiry;
    }

    /**
     * Creates a writer that adds fields to a hash or replaces their values. The writer also sets the expiry of the hash
     * if there is one.
     *
     * @param fusion kinds of fusion that are useful for HSET
     */
    private static HashWriter adding(RowExpiry expiry, Set<Fusion> fusion) {
        RowCommand command = expiry.isPresent()
                ? new RowCommand.Scripted(HashScripts.MERGE)
                : new RowCommand.Plain(Commands.HSET, fusion);
        return new HashWriter(command, false, expiry);
    }

    /** Creates a writer for rows that share a hash. */
    static HashWriter ofFields(RowExpiry expiry) {
        return adding(expiry, HSETS);
    }

    /** Creates a writer for rows that are whole hashes. */
    static HashWriter ofRows(HashTarget target, RowExpiry expiry) {
        if (target.replaceRow()) {
            return new HashWriter(new RowCommand.Scripted(HashScripts.REPLACE), true, expiry);
        }
        return target.options().onlyMissing()
                ? new HashWriter(new RowCommand.Scripted(HashScripts.ONLY_MISSING), false, expiry)
                : adding(expiry, Fusion.NONE);
    }

    /** The command that writes fields. {@link #begin} writes its first arguments. Each field and its value follow. */
    RowCommand command() {
        return command;
    }

    /** Whether fields are written and read back by scripts. */
    boolean isScripted() {
        return command instanceof RowCommand.Scripted;
    }

    /** Writes the arguments before the fields. A script needs {@code fields}, the number of fields. */
    void begin(ArgumentSink sink, boolean repeated, byte[] key, int keyLength, int fields) {
        command.begin(sink, repeated, key, keyLength, expiry.millis(), 2 * fields);
    }

    /** The command that reads fields back. {@link #beginReadBack} writes its first arguments. Each field follows. */
    CommandSpec<?> readBack() {
        return isScripted() ? Commands.EVAL : Commands.HMGET;
    }

    void beginReadBack(ArgumentSink sink, byte[] key, int keyLength) {
        if (isScripted()) {
            sink.arg(HashScripts.READ_BACK).arg(ONE_KEY);
        }
        sink.arg(key, 0, keyLength);
    }

    /** Whether a hash that was written at most {@code age} ago may have expired. */
    boolean mayHaveExpired(Duration age) {
        return expiry.current().mayHavePassed(age);
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
        List<Reply> values = isScripted() ? valuesOfScript(items, count, age) : items;
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
        if (!isScripted()) {
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
        if (!expiry.current().allows(pttl, age)) {
            return Optional.of(expiry.current().difference(pttl));
        }
        return fields == count || !replaces
                ? Optional.empty()
                : Optional.of(Difference.of(Difference.Kind.FIELDS, Integer.toString(count), Long.toString(fields)));
    }

    private List<Reply> valuesOfScript(List<Reply> items, int count, Duration age) {
        boolean asWritten = items.size() >= 2
                && items.get(0) instanceof IntegerReply(long pttl)
                && items.get(1) instanceof IntegerReply(long fields)
                && expiry.current().allows(pttl, age)
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
