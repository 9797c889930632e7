// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** The log of the queues. */
final class QueueLog {

    private QueueLog() {}

    /** Returns the logger. Callers ask for it only when they log: the first call initialises the logging of the JVM. */
    static System.Logger logger() {
        return System.getLogger("io.millrace.queue");
    }
}
