// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.logging.Level;
import java.util.logging.Logger;

/** What drivers would write to standard error beside the one message that is ours. */
final class DriverLogs {

    /** Held here: a logger that nobody holds is forgotten together with its level. */
    private static final Logger POSTGRESQL = Logger.getLogger("org.postgresql");

    private DriverLogs() {}

    /** Their exceptions say the same, and those are told. */
    static void silence() {
        POSTGRESQL.setLevel(Level.OFF);
    }
}
