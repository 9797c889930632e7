// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Locale;

/**
 * What happened in one second of a round, as the contender saw it.
 *
 * @param second from 1
 * @param iterations commands that were issued
 * @param pending commands that were not settled at its end
 * @param serverCommands that the server processed meanwhile, by its own count; -1 until the lab has filled it in
 */
public record Second(int second, long iterations, Outcomes outcomes, long pending, long serverCommands)
        implements News {

    /** For people who look on. */
    String inWords() {
        return String.format(
                Locale.ROOT,
                "second %d: ok %,d, errors %,d, timeouts %,d, refused %,d, pending %,d",
                second,
                outcomes.ok(),
                outcomes.error(),
                outcomes.timedOut(),
                outcomes.refused(),
                pending);
    }

    /** The same with the server's count. */
    Second with(long commands) {
        return new Second(second, iterations, outcomes, pending, commands);
    }
}
