// SPDX-License-Identifier: Apache-2.0

/** Small pairs in buckets. */
module io.millrace.packed {
    requires transitive io.millrace.client;
    requires static transitive org.jspecify;

    exports io.millrace.packed;
}
