// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a {@link ClusterBulkWriter} that have no final outcome yet. Each command has a record: an index of parallel
 * arrays. A free index is used again. Used by one thread.
 */
final class CommandRecords {

    /** No record. */
    static final int NONE = -1;

    private final RecordSegments segments = new RecordSegments();

    private @Nullable CommandSpec<?>[] specs = new CommandSpec<?>[0];
    private RecordSegments.@Nullable Segment[] places = new RecordSegments.Segment[0];
    private @Nullable Hop[] hops = new Hop[0];
    private long[] tags = new long[0];
    private long[] deadlines = new long[0];
    private int[] slots = new int[0];
    private int[] starts = new int[0];
    private int[] lengths = new int[0];
    private int[] arguments = new int[0];
    private boolean[] severalKeys = new boolean[0];

    /** The next free record, or the next record of the same {@link Queue}. */
    private int[] next = new int[0];

    private int free = NONE;
    private int count;

    /** The redirects of a command. Most commands have none. */
    static final class Hop {

        /** The last answer: a redirect, or {@code TRYAGAIN}. */
        Reply.ErrorReply answer;

        /** Where the command goes next; null for the owner of its slot. */
        BulkNodes.@Nullable Target target;

        int redirects;
        int tries;

        Hop(Reply.ErrorReply answer) {
            this.answer = answer;
        }
    }

    /** Records in their order. A record is in one queue at most. */
    static final class Queue {

        private int head = NONE;
        private int tail = NONE;

        boolean isEmpty() {
            return head == NONE;
        }

        /** The first record; {@link #NONE} if there is none. */
        int head() {
            return head;
        }
    }

    /** Number of commands without a final outcome. */
    int count() {
        return count;
    }

    /** Adds a record of a command with the arguments {@code buffered}. */
    int add(
            CommandSpec<?> spec,
            long tag,
            int slot,
            long deadline,
            BufferedCommand buffered,
            boolean hasSeveralKeys,
            RecordSegments.Chain chain) {
        if (free == NONE) {
            grow();
        }
        int record = free;
        free = next[record];
        count++;
        int length = buffered.used();
        RecordSegments.Segment segment = segments.take(chain, length);
        int start = segment.used() - length;
        buffered.copyTo(segment.bytes, start);
        specs[record] = spec;
        places[record] = segment;
        tags[record] = tag;
        deadlines[record] = deadline;
        slots[record] = slot;
        starts[record] = start;
        lengths[record] = length;
        arguments[record] = buffered.count();
        severalKeys[record] = hasSeveralKeys;
        next[record] = NONE;
        return record;
    }

    private void grow() {
        int before = tags.length;
        int size = Math.max(1024, 2 * before);
        specs = Arrays.copyOf(specs, size);
        places = Arrays.copyOf(places, size);
        hops = Arrays.copyOf(hops, size);
        tags = Arrays.copyOf(tags, size);
        deadlines = Arrays.copyOf(deadlines, size);
        slots = Arrays.copyOf(slots, size);
        starts = Arrays.copyOf(starts, size);
        lengths = Arrays.copyOf(lengths, size);
        arguments = Arrays.copyOf(arguments, size);
        severalKeys = Arrays.copyOf(severalKeys, size);
        next = Arrays.copyOf(next, size);
        for (int i = before; i < size; i++) {
            next[i] = i + 1 < size ? i + 1 : NONE;
        }
        free = before;
    }

    /** Removes a record. */
    void remove(int record) {
        segments.release(Objects.requireNonNull(places[record]));
        places[record] = null;
        specs[record] = null;
        hops[record] = null;
        next[record] = free;
        free = record;
        count--;
    }

    CommandSpec<?> spec(int record) {
        return Objects.requireNonNull(specs[record]);
    }

    long tag(int record) {
        return tags[record];
    }

    int slot(int record) {
        return slots[record];
    }

    long deadline(int record) {
        return deadlines[record];
    }

    boolean hasSeveralKeys(int record) {
        return severalKeys[record];
    }

    /** Number of bytes that the arguments occupy. */
    int bytes(int record) {
        return lengths[record];
    }

    /** Upper bound of the length of the command on the wire, in bytes. */
    int encodedBytes(int record) {
        long bytes = (long) lengths[record]
                + (long) BufferedCommand.FRAME_BYTES * (arguments[record] + 1)
                + spec(record).encodedName().length;
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    /** Adds the arguments of the command to {@code sink}. */
    void writeTo(int record, ArgumentSink sink) {
        byte[] bytes = Objects.requireNonNull(places[record]).bytes;
        BufferedCommand.write(bytes, starts[record], starts[record] + lengths[record], sink);
    }

    /** The redirects of a command; null if it has none. */
    @Nullable
    Hop hop(int record) {
        return hops[record];
    }

    /** Records {@code answer} as the last answer of the command, and returns its redirects. */
    Hop answered(int record, Reply.ErrorReply answer) {
        Hop hop = hops[record];
        if (hop == null) {
            hop = new Hop(answer);
            hops[record] = hop;
        }
        hop.answer = answer;
        return hop;
    }

    void append(Queue queue, int record) {
        next[record] = NONE;
        if (queue.tail == NONE) {
            queue.head = record;
        } else {
            next[queue.tail] = record;
        }
        queue.tail = record;
    }

    /** Removes the first record of {@code queue}, which is not empty. */
    int poll(Queue queue) {
        int record = queue.head;
        queue.head = next[record];
        if (queue.head == NONE) {
            queue.tail = NONE;
        }
        return record;
    }

    /** Moves all records of {@code from} before those of {@code to}. */
    void prepend(Queue from, Queue to) {
        if (from.isEmpty()) {
            return;
        }
        next[from.tail] = to.head;
        to.tail = to.tail == NONE ? from.tail : to.tail;
        to.head = from.head;
        from.head = NONE;
        from.tail = NONE;
    }
}
