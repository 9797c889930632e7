// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.logging.Logger;

/**
 * Hides the lines of the log that processes of tests write because other processes die, and because a busy machine delays
 * replies: with the short leases of the tests, a renewal has a time limit of 167 ms.
 */
final class ExpectedLines {

    /** A strong reference: without it, the garbage collector may remove the logger and its filter. */
    private static final Logger LOGGER = Logger.getLogger("io.millrace.queue");

    private static final List<String> BEGINNINGS = List.of(
            "the jobs of a silent worker are done again",
            "a job is dead, because its workers died",
            "an attempt counts as a death and will be repeated",
            "a job is dead after its last attempt",
            "a worker cannot use its queue and tries again",
            "a worker can use its queue again");

    private ExpectedLines() {}

    static void hide() {
        LOGGER.setFilter(line -> BEGINNINGS.stream().noneMatch(line.getMessage()::startsWith));
    }
}
