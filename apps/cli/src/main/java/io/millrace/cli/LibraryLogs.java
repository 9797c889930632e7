// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Turns off the logs of libraries, including the client. They would go to standard error, next to the CLI's own
 * messages.
 */
final class LibraryLogs {

    /** Strong references: a logger without one can be collected, and its level with it. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("org.postgresql"), Logger.getLogger("io.millrace"));

    private LibraryLogs() {}

    /** Turns the loggers off. Their exceptions and outcomes hold the same facts, and the CLI prints those. */
    static void silence() {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }
}
