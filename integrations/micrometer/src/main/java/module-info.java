// SPDX-License-Identifier: Apache-2.0

/** Meters and spans of Millrace for Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer has no module descriptors
module io.millrace.micrometer {
    requires transitive io.millrace.client;
    requires transitive micrometer.core;
    requires static transitive io.millrace.cache;
    requires static transitive io.millrace.load;
    requires static transitive micrometer.tracing;
    requires static transitive org.jspecify;

    exports io.millrace.micrometer;
}
