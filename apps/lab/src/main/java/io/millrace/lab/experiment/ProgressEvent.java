// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/** An event during a round, for the user who watches, and for the charts over time. */
public sealed interface ProgressEvent {

    /**
     * One second of a round.
     *
     * @param number 1 for the first second
     * @param issued commands issued in this second
     * @param outcomes outcomes of this second
     * @param pending commands without an outcome at the end of this second
     * @param serverCommands commands that the server processed in this second; -1 if unknown. The lab sets the number
     */
    record Second(int number, long issued, Outcomes outcomes, long pending, long serverCommands)
            implements ProgressEvent {

        public Second withServerCommands(long commands) {
            return new Second(number, issued, outcomes, pending, commands);
        }
    }

    /**
     * A letter for the progress line, such as {@code P} for a produced batch.
     *
     * @param letter one printable character
     */
    record Mark(char letter) implements ProgressEvent {}
}
