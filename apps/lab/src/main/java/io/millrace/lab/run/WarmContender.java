// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A contender whose JVM is kept between its turns, so that its code stays compiled and its connections open. */
public non-sealed interface WarmContender extends Contender {

    /** Opens connections and whatever else is not timed. Called once for each JVM, in the contender's own. */
    Rounds open(Task task) throws Exception;

    @Override
    default String variant() {
        return "warm";
    }

    /**
     * Which JVM it lives in: contenders of one workload that say the same share one, each with connections of its own.
     * By default nobody shares.
     */
    default String jvm() {
        return label();
    }

    /** More for the command line of its JVM; the same for all that share it. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /** Whether each round is given a new JVM, for those of whom the first use is measured. */
    default boolean isFreshEachRound() {
        return false;
    }

    /** The rounds of one contender, called one after the other on one thread. */
    interface Rounds extends AutoCloseable {

        /** What is to be done anew before each round. Not timed. */
        default void prepare() throws Exception {}

        /** Puts on the emptied server what the round is to find there, where only this contender can. Not timed. */
        default void fill() throws Exception {}

        /** Does the whole task once: returns when the last reply is there. Empty if the contender keeps no account. */
        Optional<Outcomes> run() throws Exception;

        /** Sets the listener for the progress of the rounds. Any thread may call the listener. By default there is none. */
        default void watch(Consumer<News> listener) {}

        /** What was wrong with what the last round read; empty if nothing was. Not timed. */
        default List<String> complaints() throws Exception {
            return List.of();
        }

        /** Further figures of the last round, by name. Not timed. */
        default Map<String, Double> figures() {
            return Map.of();
        }

        /** What the last round took of the CPU in other processes of the contender. Not timed. */
        default ProcessCpu cpuElsewhere() {
            return ProcessCpu.NONE;
        }

        /** When what happened in the last round, of those that hand over tasks. Not timed. */
        default Optional<Trace> trace() {
            return Optional.empty();
        }

        /** What the last round has shown that figures do not say, in a sentence. Not timed. */
        default Optional<String> remark() {
            return Optional.empty();
        }

        /** What is to be let go after each round: nothing of it may go on while others are measured. Not timed. */
        default void finish() throws Exception {}

        @Override
        void close() throws Exception;
    }
}
