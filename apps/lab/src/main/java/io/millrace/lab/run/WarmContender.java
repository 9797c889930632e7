// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Optional;

/** A contender whose JVM is kept between its turns, so that its code stays compiled and its connections open. */
public non-sealed interface WarmContender extends Contender {

    /** Opens connections and whatever else is not timed. Called once, in the contender's own JVM. */
    Rounds open(Task task);

    @Override
    default String variant() {
        return "warm";
    }

    /** The rounds of one contender, called one after the other on one thread. */
    interface Rounds extends AutoCloseable {

        /** Does the whole task once: returns when the last reply is there. Empty if the contender keeps no account. */
        Optional<Outcomes> run() throws Exception;

        @Override
        void close();
    }
}
