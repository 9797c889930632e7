// SPDX-License-Identifier: Apache-2.0

/** The Redis client. */
module io.millrace.client {
    requires transitive io.millrace.resp;
    requires jdk.jfr;
    requires jdk.net;
    requires static transitive org.jspecify;

    exports io.millrace.client;
    exports io.millrace.client.command;
    exports io.millrace.client.exception;
    exports io.millrace.client.resilience;
}
