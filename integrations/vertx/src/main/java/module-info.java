// SPDX-License-Identifier: Apache-2.0

/** The Redis client for Vert.x. */
module io.millrace.vertx {
    requires transitive io.millrace.client;
    requires transitive io.vertx.core;
    requires static transitive org.jspecify;

    exports io.millrace.vertx;
}
