// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.client.Target;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A contender that is a whole process. Each round starts the process again, and measures the time from its start to its
 * exit.
 *
 * @param program the program to run, and the parser of its output
 * @param missingHere see {@link Contender#missing}
 */
public record ProcessContender(Description description, Program program, Function<Target, Optional<String>> missingHere)
        implements Contender {

    /** The same contender, whose figures are shown and not compared. */
    public ProcessContender asReference() {
        return new ProcessContender(description.asReference(), program, missingHere);
    }

    @Override
    public Optional<String> missing(Target target) {
        return missingHere.apply(target);
    }

    /** The program of a contender. */
    public interface Program {

        /** Makes input files in {@link WorkContext#folder}, once for each fork. Not measured. */
        default void prepare(WorkContext context) throws Exception {}

        /** The process to start. Not measured. */
        Invocation invocation(WorkContext context);

        /**
         * What the ended process says about its work.
         *
         * @throws LabException if the process did not do its work
         */
        RoundDetails details(WorkContext context, Ended ended);

        /** Number of operations that one run of the process does. */
        long operations(WorkContext context);

        /** Stops what {@link #prepare} has started. Called after the last round of a fork, also after a failure. */
        default void release(WorkContext context) throws Exception {}
    }

    /**
     * A process to start.
     *
     * @param command program and arguments
     * @param environment variables in addition to the variables of the lab
     * @param input file for the standard input; empty for no input
     */
    public record Invocation(List<String> command, Map<String, String> environment, Optional<Path> input) {

        public static Invocation of(List<String> command) {
            return new Invocation(command, Map.of(), Optional.empty());
        }
    }

    /**
     * An ended process.
     *
     * @param exitCode 0 for success
     * @param output text of the standard output
     * @param errors text of the standard error
     */
    public record Ended(int exitCode, String output, String errors) {}
}
