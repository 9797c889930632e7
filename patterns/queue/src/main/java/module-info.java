// SPDX-License-Identifier: Apache-2.0

/** Job queues in Redis. */
module io.millrace.queue {
    requires transitive io.millrace.client;
    requires static transitive org.jspecify;

    exports io.millrace.queue;
}
