// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.library.Endpoint;
import java.util.Optional;

/** A way of doing a workload. Each runs in a process of its own. */
public sealed interface Contender permits WarmContender, ProcessContender {

    /** Whose way it is, such as {@code jedis}. */
    String name();

    /** How it is run, such as {@code warm}: together with the name unique within a workload. */
    String variant();

    /** What a reader of the figures has to know: settings, flags, what the time includes. */
    String note();

    /** Why it is not measured by the same rule as the others; empty if it is. */
    default Optional<String> unfair() {
        return Optional.empty();
    }

    /** Whether each command waits for the reply of the one before: over a distance it is then given a tenth to do. */
    default boolean waits() {
        return false;
    }

    /** Why it cannot be measured here, such as a program that is not installed; empty if it can. */
    default Optional<String> missing(Endpoint endpoint) {
        return Optional.empty();
    }

    /** Name and variant in one word, such as {@code jedis/warm}. */
    default String label() {
        return name() + "/" + variant();
    }
}
