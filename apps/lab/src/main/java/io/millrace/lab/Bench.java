// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.LabException;
import java.io.PrintWriter;
import picocli.CommandLine;

/** Measures what is promised: {@code make bench}. */
public final class Bench {

    /** Runs the bench and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs the bench and returns its exit code, as {@link BenchCommand} lists them. */
    static int run(String... args) {
        return new CommandLine(new BenchCommand(String.join(" ", args)))
                .setErr(new PrintWriter(System.err, true, System.err.charset()))
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    if (failure instanceof LabException) {
                        commandLine.getErr().println("bench: " + failure.getMessage());
                        return CommandLine.ExitCode.USAGE;
                    }
                    throw failure;
                })
                .execute(args);
    }

    private Bench() {}
}
