// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** The encoding of the active ids of a span in Redis. */
public enum Encoding {

    /**
     * One bitmap with a bit per id. Suitable for ids below 4,294,967,296, if the share of active ids is not too small.
     * The server counts and combines the bitmaps.
     */
    BITMAP,

    /**
     * One bitmap for each range of 1,048,576 ids that contains an active id, and one set with the numbers of these
     * ranges. Suitable for large ids that are close together in several ranges. The server counts and combines the
     * bitmaps.
     */
    CHUNKED,

    /**
     * Eight bytes that change with each write, followed by a RoaringBitmap in the portable 64-bit format. Suitable for
     * few ids from a wide range. The client counts and combines the sets. To mark ids, the client reads and writes the
     * whole set. This encoding needs the RoaringBitmap library on the class path.
     */
    COMPRESSED
}
