// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The log of the queues. No method throws: a log that fails must not end a thread of a worker or occupy a place. */
final class QueueLog {

    private QueueLog() {}

    static void log(Level level, String line) {
        log(level, line, null);
    }

    /** Logs a line. If the log rejects the exception, for example because its message cannot be read, logs its class. */
    static void log(Level level, String line, @Nullable Throwable failure) {
        try {
            // The first call initialises the logging of the JVM, so the logger is not stored in a static field.
            System.Logger logger = System.getLogger("io.millrace.queue");
            if (failure == null) {
                logger.log(level, line);
            } else {
                logger.log(level, line, failure);
            }
        } catch (Throwable e) {
            if (failure != null) {
                log(
                        level,
                        line + " The log rejected the exception "
                                + failure.getClass().getName() + ".",
                        null);
            }
        }
    }
}
