// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The result of adding marks.
 *
 * @param added the number of new marks
 * @param expired the number of marks that were not stored, because their span has expired
 */
record MarkCounts(long added, long expired) {

    static final MarkCounts NONE = new MarkCounts(0, 0);

    /**
     * Returns the result of a script that adds {@code marks} marks.
     *
     * @param reply the number of new marks; negative if the span has expired
     */
    static MarkCounts of(long reply, long marks) {
        return reply < 0 ? new MarkCounts(0, marks) : new MarkCounts(reply, 0);
    }

    MarkCounts plus(MarkCounts other) {
        return new MarkCounts(added + other.added, expired + other.expired);
    }
}
