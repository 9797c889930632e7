// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import java.util.ArrayDeque;

/**
 * The memory for encoded commands, in segments. Commands of one node end in about the order in which they were
 * submitted. So each node fills its own segments, and a segment is free again soon. Used by one thread.
 */
final class RecordSegments {

    private static final int SEGMENT_BYTES = 64 * 1024;

    /** Maximum number of free segments that are kept: 16 MiB. */
    private static final int KEPT_SEGMENTS = 256;

    /** A part of the memory. */
    static final class RecordSegment {

        final byte[] bytes;
        private int used;

        /** Number of commands in this segment. */
        private int commands;

        /** Whether a chain still fills this segment. */
        private boolean filling;

        private RecordSegment(int length) {
            this.bytes = new byte[length];
        }

        /** End of the bytes that are in use. */
        int used() {
            return used;
        }
    }

    /** The segments that one node fills, one after the other. */
    static final class Chain {

        private RecordSegment current = new RecordSegment(0);
    }

    private final ArrayDeque<RecordSegment> free = new ArrayDeque<>();

    /** Returns the segment for {@code length} bytes. The bytes are the last ones before {@link RecordSegment#used}. */
    RecordSegment take(Chain chain, int length) {
        RecordSegment segment = length > SEGMENT_BYTES ? new RecordSegment(length) : chain.current;
        if (segment.bytes.length - segment.used < length) {
            segment.filling = false;
            freeIfUnused(segment);
            segment = next();
            segment.filling = true;
            chain.current = segment;
        }
        segment.used += length;
        segment.commands++;
        return segment;
    }

    private RecordSegment next() {
        RecordSegment segment = free.poll();
        return segment == null ? new RecordSegment(SEGMENT_BYTES) : segment;
    }

    /** Releases the bytes of one command in {@code segment}. Returns true if the segment is not used again. */
    boolean release(RecordSegment segment) {
        segment.commands--;
        freeIfUnused(segment);
        return segment.bytes.length > SEGMENT_BYTES;
    }

    private void freeIfUnused(RecordSegment segment) {
        if (segment.commands == 0) {
            segment.used = 0;
            if (!segment.filling && segment.bytes.length == SEGMENT_BYTES && free.size() < KEPT_SEGMENTS) {
                free.push(segment);
            }
        }
    }
}
