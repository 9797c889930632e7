// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Turns off the logs of libraries, including the client. The logs would be written to standard error, between the
 * messages of the CLI.
 */
final class LibraryLogs {

    /** Strong references. Without a strong reference, a logger can be garbage-collected, and its level is lost. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("org.postgresql"), Logger.getLogger("io.millrace"));

    private LibraryLogs() {}

    /**
     * Turns off the loggers. No fact is lost: the exceptions and outcomes of the libraries contain the same facts as
     * the logs, and the command line prints these facts.
     */
    static void silence() {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }
}
