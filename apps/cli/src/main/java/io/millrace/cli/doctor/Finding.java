// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import java.util.Optional;

/**
 * A fact about a server that matters for a load.
 *
 * @param topic the area, such as {@code memory}
 * @param message the fact with its values, as a sentence without a full stop
 * @param advice what to do, as sentences
 */
public record Finding(String topic, Level level, String message, Optional<String> advice) {

    /** How serious a finding is. */
    public enum Level {
        /** Nothing has to be changed. */
        OK,
        /** A load works, but has a risk or a cost that a change would avoid. */
        ADVICE,
        /** A load fails, or loses rows. */
        PROBLEM,
        /** The server does not tell the fact. */
        UNKNOWN
    }

    static Finding ok(String topic, String message) {
        return new Finding(topic, Level.OK, message, Optional.empty());
    }

    static Finding advice(String topic, String message, String advice) {
        return new Finding(topic, Level.ADVICE, message, Optional.of(advice));
    }

    static Finding problem(String topic, String message, String advice) {
        return new Finding(topic, Level.PROBLEM, message, Optional.of(advice));
    }

    static Finding unknown(String topic, String message, String advice) {
        return new Finding(topic, Level.UNKNOWN, message, Optional.of(advice));
    }
}
