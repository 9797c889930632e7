// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A contender that is started anew for each round and measured from its start to its exit. */
public non-sealed interface ProcessContender extends Contender {

    /** What is to be done once, before the first turn; what it leaves on the server is removed. Not timed. */
    default void prepare(Task task) {}

    /** The process to start. Not timed. */
    Invocation invocation(Task task);

    /** What the ended process says about itself; throws {@link LabException} if it did not do its task. */
    Account account(Task task, Ended ended);

    @Override
    default String variant() {
        return "process";
    }

    /**
     * A process to start.
     *
     * @param command program and arguments
     * @param environment variables beside those of this process
     * @param input what its standard input is read from; empty for nothing
     * @param watchMemory whether its resident memory is looked at while it runs
     */
    record Invocation(
            List<String> command, Map<String, String> environment, Optional<Path> input, boolean watchMemory) {

        /** A command with nothing special about it. */
        public static Invocation of(List<String> command) {
            return new Invocation(command, Map.of(), Optional.empty(), false);
        }
    }

    /** What a process left: its exit code and the text of its two outputs. */
    record Ended(int exit, String output, String errors) {}

    /**
     * What a contender says of its round.
     *
     * @param outcomes empty if it keeps none
     * @param figures further figures by name, such as {@code seconds}
     */
    record Account(Optional<Outcomes> outcomes, Map<String, Double> figures) {

        public Account {
            figures = Map.copyOf(figures);
        }
    }
}
