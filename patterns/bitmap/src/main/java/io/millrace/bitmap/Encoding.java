// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** The encoding of the active ids of a span in Redis. {@link MemoryEstimate} compares the encodings. */
public enum Encoding {

    /**
     * One bitmap with a bit per id. Suitable for dense ids below 4,294,967,296. The bitmap is as long as its largest id
     * needs: a single mark of the id 1,000,000,000 takes 125 MB. {@link ActivityOptions#maxId} limits the ids. The server
     * counts and combines the bitmaps.
     */
    BITMAP,

    /**
     * One bitmap for each range of 131,072 ids that contains an active id, and one set with the numbers of these ranges.
     * Suitable for ids that are given out in order, and safe for any single id, and therefore the default: a single mark of
     * any id takes at most 21 KB. Not suitable for random ids, such as hashes or UUIDs: each random id has its own bitmap of
     * 8 KB on average, and each query runs a command for each of these bitmaps. Use {@link #SET} for such ids. If a process
     * adds about 10,000 bitmaps with hardly more than one id each to a span, it logs a warning to {@code
     * io.millrace.bitmap}, at most one for each span and one per hour. The server counts and combines the bitmaps.
     */
    CHUNKED,

    /**
     * Eight bytes that change with each write, followed by a RoaringBitmap in the portable 64-bit format, and one Redis
     * set with up to 400 recent marks. Suitable for few ids from a wide range that arrive in loads. The client counts and
     * combines the sets. Single marks go to the set of recent marks. After 400 marks, a client reads and writes the whole
     * RoaringBitmap. This encoding needs the RoaringBitmap library on the class path.
     */
    COMPRESSED,

    /**
     * One Redis set with the ids. Suitable for up to some million random ids, or few ids from a wide range, that are marked
     * singly: a mark writes only its id. A set of up to 512 ids takes at most eight bytes per id, and a larger set about 60
     * bytes per id. The server counts a single set. The client fetches and combines several sets.
     */
    SET
}
