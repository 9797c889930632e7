// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** How it is kept in Redis who was active in a span. */
public enum Form {

    /** One bitmap, a bit for each id: for ids below 4,294,967,296 of which not too few are active. The server counts and combines. */
    BITMAP,

    /**
     * A bitmap for each 1,048,576 ids of which one is active, and a set of their numbers: for greater ids that come in clusters. The
     * server counts and combines.
     */
    CHUNKED,

    /**
     * A RoaringBitmap in its portable 64-bit format, behind eight bytes that change with each writing: for few ids of a wide range. The
     * client counts, combines, and marks by reading and writing the whole. Needs the library on the class path.
     */
    COMPRESSED
}
