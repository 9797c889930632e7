// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What libraries, the client among them, would write to standard error beside the one message that is ours. */
final class LibraryLogs {

    /** Held here: a logger that nobody holds is forgotten together with its level. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("org.postgresql"), Logger.getLogger("io.millrace"));

    private LibraryLogs() {}

    /** Their exceptions and outcomes say the same, and those are told. */
    static void silence() {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }
}
