// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Sets single bits. Combines up to 400 bits of a key in one BITFIELD. This BITFIELD costs the server a tenth of the
 * equivalent SETBIT commands.
 */
final class BitSetter {

    /**
     * Maximum number of bits per command. A command with this number of bits has less than 16 KiB, and the server reads
     * 16 KiB with one system call.
     */
    static final int MAX_BITS_PER_COMMAND = 400;

    /** Maximum number of commands in one pipeline, to limit the memory. */
    private static final int COMMANDS_PER_RUN = 1_000;

    private static final Reply UNSET = new Reply.IntegerReply(0);

    private final BitmapKeys keys;
    private final Pipeline pipeline;
    private final SparseChunks sparse;
    private final List<SentToChunk> sent = new ArrayList<>();
    private MarkCounts counts = MarkCounts.NONE;

    private record SentToChunk(EventSpan eventSpan, long chunk, SentMarks marks) {}

    BitSetter(RedisClient client, BitmapKeys keys, SparseChunks sparse) {
        this.keys = keys;
        this.sparse = sparse;
        this.pipeline = client.pipeline();
    }

    /** Sets one bit. Sends a script by its SHA-1, so that the command is short. */
    static MarkCounts setOne(RedisClient client, BitmapKeys keys, EventSpan eventSpan, long id) {
        if (keys.needsScript()) {
            List<Object> marks = marks(new long[] {keys.offset(id)}, 0, 1);
            return MarkCounts.of(client.call(script(keys, eventSpan, keys.chunk(id), marks)), 1);
        }
        return MarkCounts.of(client.call(Bitmaps.set(keys.key(eventSpan, 0), id, true)) ? 0 : 1, 1);
    }

    void add(EventSpan eventSpan, long[] ids) {
        Map<Long, long[]> offsets = new TreeMap<>();
        if (keys.chunked()) {
            Arrays.stream(ids)
                    .boxed()
                    .collect(Collectors.groupingBy(keys::chunk))
                    .forEach((chunk, members) -> offsets.put(
                            chunk, members.stream().mapToLong(keys::offset).toArray()));
        } else if (ids.length > 0) {
            offsets.put(0L, ids);
        }
        offsets.forEach((chunk, bits) -> {
            for (int from = 0; from < bits.length; from += MAX_BITS_PER_COMMAND) {
                int to = Math.min(bits.length, from + MAX_BITS_PER_COMMAND);
                Result<Long> reply = pipeline.add(command(eventSpan, chunk, marks(bits, from, to)));
                sent.add(new SentToChunk(eventSpan, chunk, new SentMarks(reply, to - from)));
                if (sent.size() == COMMANDS_PER_RUN) {
                    run();
                }
            }
        });
    }

    /** Sends the remaining commands. Returns the counts of all marks since the last call. */
    MarkCounts send() {
        run();
        MarkCounts total = counts;
        counts = MarkCounts.NONE;
        return total;
    }

    /**
     * Returns the number of bits that were not set before, from the reply of BITFIELD or of a script; a negative number
     * if the span has expired.
     */
    static long added(Reply reply) {
        return reply instanceof Reply.IntegerReply number
                ? number.value()
                : Replies.items(reply).stream().filter(UNSET::equals).count();
    }

    private void run() {
        pipeline.run();
        for (SentToChunk each : sent) {
            MarkCounts ofChunk = each.marks().counts();
            sparse.added(each.eventSpan(), each.chunk(), ofChunk.added());
            counts = counts.plus(ofChunk);
        }
        sent.clear();
    }

    private Command<Long> command(EventSpan eventSpan, long chunk, List<Object> marks) {
        if (keys.needsScript()) {
            return script(keys, eventSpan, chunk, marks).withBody();
        }
        marks.addFirst(keys.key(eventSpan, chunk));
        return Command.of(Bitmaps.BITFIELD, marks.toArray()).as(BitSetter::added);
    }

    private static ScriptCall<Long> script(BitmapKeys keys, EventSpan eventSpan, long chunk, List<Object> marks) {
        marks.addFirst(chunk);
        marks.addFirst(keys.expiresAtMillis(eventSpan));
        return Scripts.run(BitScripts.MARK, keys.markedKeys(eventSpan, chunk), marks)
                .as(BitSetter::added);
    }

    private static List<Object> marks(long[] bits, int from, int to) {
        List<Object> marks = new ArrayList<>(2 + 4 * (to - from));
        for (int i = from; i < to; i++) {
            Collections.addAll(marks, "SET", "u1", bits[i], 1);
        }
        return marks;
    }
}
