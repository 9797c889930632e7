// SPDX-License-Identifier: Apache-2.0

/** Stores many small pairs in few Redis hashes, which are called buckets. */
module io.millrace.packed {
    requires transitive io.millrace.client;
    requires static transitive org.jspecify;

    exports io.millrace.packed;
}
