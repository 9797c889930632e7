// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** The encoding of the active ids of a span in Redis. */
public enum Encoding {

    /**
     * One bitmap with a bit per id, for ids below 4,294,967,296 if not too few are active. The server counts and
     * combines.
     */
    BITMAP,

    /**
     * A bitmap for each range of 1,048,576 ids with an active id, and a set of the range numbers. For large ids that
     * occur in clusters. The server counts and combines.
     */
    CHUNKED,

    /**
     * A RoaringBitmap in the portable 64-bit format, after eight bytes that change with each write. For few ids from a
     * wide range. The client counts and combines. To mark ids it reads and writes the whole set. Needs the
     * RoaringBitmap library on the class path.
     */
    COMPRESSED
}
