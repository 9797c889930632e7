// SPDX-License-Identifier: Apache-2.0

/** Task queues in Redis. */
module io.millrace.queue {
    requires transitive io.millrace.client;
    requires transitive io.millrace.tasks;
    requires static transitive org.jspecify;

    exports io.millrace.queue;
}
