// SPDX-License-Identifier: Apache-2.0

/** Bitmaps in Redis. */
module io.millrace.bitmap {
    requires transitive io.millrace.client;
    requires roaringbitmap;
    requires static transitive org.jspecify;

    exports io.millrace.bitmap;
}
