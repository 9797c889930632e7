// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.client.Target;
import java.util.Optional;

/** A program that does the work of a scenario. */
public sealed interface Contender permits JvmContender, ProcessContender {

    Description description();

    /** Why the contender cannot run here, such as a program that is not installed; empty if the contender can run. */
    Optional<String> missing(Target target);

    /** Unique within a scenario: the library, and the mode if there is one, such as {@code lettuce/pool}. */
    default String label() {
        return description().label();
    }

    /**
     * What a report says about a contender.
     *
     * @param library name of the library or program, such as {@code jedis}
     * @param mode how the library is used; empty if there is only one way
     * @param note calls and settings
     * @param documentation address of the page that the settings follow
     * @param unfair why the figures of this contender cannot be compared with the others; empty if they can. Used for
     *     Millrace as for every other library
     * @param isReference whether reports show the figures, but do not compare them. Used for the modes of Millrace that
     *     are not its default: if the best of many modes took part, chance would favour the library with most modes
     */
    record Description(
            String library,
            String mode,
            String note,
            String documentation,
            Optional<String> unfair,
            boolean isReference) {

        public Description(String library, String mode, String note, String documentation) {
            this(library, mode, note, documentation, Optional.empty());
        }

        public Description(String library, String mode, String note, String documentation, Optional<String> unfair) {
            this(library, mode, note, documentation, unfair, false);
        }

        Description withUnfair(String reason) {
            return new Description(library, mode, note, documentation, Optional.of(reason), isReference);
        }

        Description asReference() {
            return new Description(library, mode, note, documentation, unfair, true);
        }

        /** The library, and the mode if there is one, such as {@code lettuce/pool}. */
        public String label() {
            return mode.isEmpty() ? library : library + "/" + mode;
        }
    }
}
