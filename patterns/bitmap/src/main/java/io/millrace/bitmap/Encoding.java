// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** The encoding of the active ids of a span in Redis. */
public enum Encoding {

    /**
     * One bitmap with a bit per id. For ids below 4,294,967,296, if the share of active ids is not too small. The
     * server counts and combines the bitmaps.
     */
    BITMAP,

    /**
     * A bitmap for each range of 1,048,576 ids with an active id, and a set of the range numbers. For large ids that
     * are close together in several ranges. The server counts and combines the bitmaps.
     */
    CHUNKED,

    /**
     * A RoaringBitmap in the portable 64-bit format, after eight bytes that change with each write. For few ids from a
     * wide range. The client counts and combines the sets. To mark ids, the client reads and writes the whole set. This
     * encoding needs the RoaringBitmap library on the class path.
     */
    COMPRESSED
}
