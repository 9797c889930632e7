// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.shared.CommandKeys;
import io.millrace.resp.Reply;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a {@link ClusterBulkWriter} that have no final outcome yet. Each command has a record: an index of some
 * arrays. A free index is used again. Used by one thread.
 */
final class CommandRecords {

    /** No record. */
    static final int NONE = -1;

    // The numbers of a record are beside each other, because a record is often no longer in the cache of the processor:
    // the tag, the deadline, the place of the encoded command, and the links.
    private static final int NUMBERS = 4;
    private static final int DEADLINE = 1;
    private static final int PLACE = 2;
    private static final int LINKS = 3;

    // The number at LINKS: the next free record, or the next record of the same queue; then the slot; then a flag.
    private static final int SLOT_SHIFT = 32;
    private static final int SLOT_MASK = (1 << 15) - 1;
    private static final long HAS_HOP = 1L << 48;
    private static final long NEXT_MASK = 0xffff_ffffL;

    private final RecordSegments segments = new RecordSegments();

    private long[] numbers = new long[0];
    private @Nullable CommandSpec<?>[] specs = new CommandSpec<?>[0];
    private RecordSegments.@Nullable RecordSegment[] places = new RecordSegments.RecordSegment[0];
    private final Map<Integer, Hop> hops = new HashMap<>();

    /** The first free record. The record that was freed last is used first, because it is still in the cache of the processor. */
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

    /** Adds a record of the command {@code buffered}. */
    int add(
            CommandSpec<?> spec,
            long tag,
            int slot,
            long deadline,
            BufferedCommand buffered,
            RecordSegments.Chain chain) {
        if (free == NONE) {
            grow();
        }
        int record = free;
        free = next(record);
        count++;
        int length = buffered.length();
        RecordSegments.RecordSegment segment = segments.take(chain, length);
        int start = segment.used() - length;
        System.arraycopy(buffered.bytes(), 0, segment.bytes, start, length);
        if (specs[record] != spec) {
            specs[record] = spec;
        }
        if (places[record] != segment) {
            places[record] = segment;
        }
        int at = record * NUMBERS;
        numbers[at] = tag;
        numbers[at + DEADLINE] = deadline;
        numbers[at + PLACE] = (long) start << Integer.SIZE | length;
        numbers[at + LINKS] = (long) slot << SLOT_SHIFT | NEXT_MASK;
        return record;
    }

    private void grow() {
        int before = specs.length;
        int size = Math.max(1024, 2 * before);
        specs = Arrays.copyOf(specs, size);
        places = Arrays.copyOf(places, size);
        numbers = Arrays.copyOf(numbers, Math.multiplyExact(size, NUMBERS));
        for (int i = before; i < size; i++) {
            setNext(i, i + 1 < size ? i + 1 : NONE);
        }
        free = before;
    }

    private int next(int record) {
        return (int) numbers[record * NUMBERS + LINKS];
    }

    private void setNext(int record, int next) {
        int at = record * NUMBERS + LINKS;
        numbers[at] = (numbers[at] & ~NEXT_MASK) | (next & NEXT_MASK);
    }

    private boolean hasHop(int record) {
        return (numbers[record * NUMBERS + LINKS] & HAS_HOP) != 0;
    }

    /** Removes a record. The next command in this place replaces the references. */
    void remove(int record) {
        RecordSegments.RecordSegment segment = segment(record);
        if (segments.release(segment)) {
            places[record] = null;
        }
        if (hasHop(record)) {
            hops.remove(record);
        }
        setNext(record, free);
        free = record;
        count--;
    }

    private RecordSegments.RecordSegment segment(int record) {
        return Objects.requireNonNull(places[record]);
    }

    CommandSpec<?> spec(int record) {
        return Objects.requireNonNull(specs[record]);
    }

    long tag(int record) {
        return numbers[record * NUMBERS];
    }

    int slot(int record) {
        return (int) (numbers[record * NUMBERS + LINKS] >>> SLOT_SHIFT) & SLOT_MASK;
    }

    long deadline(int record) {
        return numbers[record * NUMBERS + DEADLINE];
    }

    /** Length of the encoded command in bytes. */
    int length(int record) {
        return (int) numbers[record * NUMBERS + PLACE];
    }

    /** Where the encoded command begins. */
    int start(int record) {
        return (int) (numbers[record * NUMBERS + PLACE] >>> Integer.SIZE);
    }

    /** The array with the bytes of the encoded command, from {@link #start} on. */
    byte[] array(int record) {
        return segment(record).bytes;
    }

    /** The redirects of a command; null if it has none. */
    @Nullable
    Hop hop(int record) {
        return hasHop(record) ? hops.get(record) : null;
    }

    /** Records {@code answer} as the last answer of the command, and returns its redirects. */
    Hop answered(int record, Reply.ErrorReply answer) {
        Hop hop = hop(record);
        if (hop == null) {
            hop = new Hop(answer);
            hops.put(record, hop);
            numbers[record * NUMBERS + LINKS] |= HAS_HOP;
        }
        hop.answer = answer;
        return hop;
    }

    /** The last answer to a command that was redirected or refused. */
    Reply.ErrorReply lastAnswer(int record) {
        return Objects.requireNonNull(hop(record)).answer;
    }

    /** Copies of the keys of the command. */
    List<ByteBuffer> keys(int record) {
        int start = start(record);
        return CommandKeys.of(BufferedCommand.command(spec(record), array(record), start, start + length(record)));
    }

    void append(Queue queue, int record) {
        setNext(record, NONE);
        if (queue.tail == NONE) {
            queue.head = record;
        } else {
            setNext(queue.tail, record);
        }
        queue.tail = record;
    }

    /** Removes the first record of {@code queue}, which is not empty. */
    int poll(Queue queue) {
        int record = queue.head;
        queue.head = next(record);
        if (queue.head == NONE) {
            queue.tail = NONE;
        }
        return record;
    }

    /** Removes all records of {@code queue}, and returns them in their order. */
    Queue takeAll(Queue queue) {
        Queue all = new Queue();
        prepend(queue, all);
        return all;
    }

    /** Moves all records of {@code from} before those of {@code to}. */
    void prepend(Queue from, Queue to) {
        if (from.isEmpty()) {
            return;
        }
        setNext(from.tail, to.head);
        to.tail = to.tail == NONE ? from.tail : to.tail;
        to.head = from.head;
        from.head = NONE;
        from.tail = NONE;
    }
}
