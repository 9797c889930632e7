// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.logging.Logger;

/** Hides the lines of the log that processes of tests write because other processes die. */
final class ExpectedLines {

    /** A strong reference: without it, the garbage collector may remove the logger and its filter. */
    private static final Logger LOGGER = Logger.getLogger("io.millrace.queue");

    private ExpectedLines() {}

    static void hide() {
        LOGGER.setFilter(line -> !line.getMessage().startsWith("the jobs of a silent worker are done again")
                && !line.getMessage().startsWith("a job is dead, because its workers died"));
    }
}
