// SPDX-License-Identifier: Apache-2.0

/** A cache of slow results in Redis. */
module io.millrace.cache {
    requires transitive io.millrace.client;
    requires jdk.jfr;
    requires static com.github.benmanes.caffeine;
    requires static transitive tools.jackson.databind;
    requires static transitive org.jspecify;

    exports io.millrace.cache;
}
