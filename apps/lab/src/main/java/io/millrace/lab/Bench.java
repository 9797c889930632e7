// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.LabException;
import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;

/** Measures what is promised: {@code make bench}. */
public final class Bench {

    /** Runs the bench and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(run(System.out, System.err, args));
    }

    /**
     * Runs the bench and returns its exit code, as {@link BenchCommand} lists them.
     *
     * @param out takes the result
     * @param progress takes a line for every turn, and what went wrong
     */
    static int run(PrintStream out, PrintStream progress, String... args) {
        return new CommandLine(new BenchCommand(out, progress, String.join(" ", args)))
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(progress, true, progress.charset()))
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
