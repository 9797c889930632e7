// SPDX-License-Identifier: Apache-2.0

/** A cache in Redis for the results of slow calls. */
module io.millrace.cache {
    requires transitive io.millrace.client;
    requires jdk.jfr;
    requires static com.github.benmanes.caffeine;
    requires static transitive tools.jackson.databind;
    requires static transitive org.jspecify;

    exports io.millrace.cache;
}
