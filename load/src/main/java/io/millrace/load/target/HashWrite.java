// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.client.Fusion;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.IntegerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * How fields get into a hash and are read back: by HSET and HMGET alone, or by scripts where an expiry is set or the key is
 * replaced in the same step.
 */
final class HashWrite {

    private static final byte[] ONE_KEY = {'1'};
    private static final byte[] READ_BACK = HashScripts.READ_BACK.getBytes(StandardCharsets.US_ASCII);

    private final boolean scripted;
    private final boolean replaces;
    private final Expiry expiry;
    private final byte[] script;
    private final byte[] ttl;

    HashWrite(Target target) {
        replaces = target.replaceRow();
        expiry = Expiry.of(target.ttl());
        scripted = replaces || expiry.millis().isPresent();
        script = HashScripts.write(replaces, expiry.millis().isPresent()).getBytes(StandardCharsets.US_ASCII);
        ttl = Long.toString(expiry.millis().orElse(0)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The command that writes; after {@link #begin} it takes each field and its value. */
    CommandSpec<?> command() {
        return scripted ? Commands.EVAL : Commands.HSET;
    }

    /** As what it may be fused where rows share a hash: a script never is. */
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

    /** The command that reads back; after {@link #beginReadBack} it takes each field. */
    CommandSpec<?> readBack() {
        return scripted ? Commands.EVAL : Commands.HMGET;
    }

    void beginReadBack(ArgumentSink sink, byte[] key, int keyLength) {
        if (scripted) {
            sink.arg(READ_BACK).arg(ONE_KEY);
        }
        sink.arg(key, 0, keyLength);
    }

    /** Whether a hash that was written that long ago, or later, may have expired. */
    boolean mayHaveExpired(Duration age) {
        return expiry.mayHavePassed(age);
    }

    /** Whether {@code reply} says that there is no hash because its expiry has passed, as it should. */
    boolean hasExpired(Reply reply, Duration age) {
        return mayHaveExpired(age)
                && reply instanceof ArrayReply(List<Reply> items)
                && !items.isEmpty()
                && items.getFirst() instanceof IntegerReply(long pttl)
                && pttl == Expiry.NO_KEY;
    }

    /**
     * The values of the fields that were asked for.
     *
     * @param reply to {@link #readBack}
     * @param count of fields that were asked for
     * @param age of the write, at most
     * @return none if there is no such hash, or if its expiry or the number of its fields are not what was written
     */
    List<Reply> values(Reply reply, int count, Duration age) {
        if (!(reply instanceof ArrayReply(List<Reply> items))) {
            return List.of();
        }
        List<Reply> values = scripted ? valuesOfScript(items, count, age) : items;
        return values.size() == count ? values : List.of();
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
