// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.measure.LabInterrupted;
import io.millrace.lab.server.LabException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import redis.clients.jedis.exceptions.JedisException;

/** The program {@code millrace lab}. */
public final class Lab {

    private static final int INTERRUPTED = 130;
    private static final Pattern LOGIN = Pattern.compile("://\\S*@");

    /** Runs the lab, and ends the JVM with the exit code. */
    public static void main(String[] args) {
        System.exit(run(System.out, System.err, args));
    }

    /**
     * Runs the lab and returns the exit code.
     *
     * @param out receives the results
     * @param progress receives the progress and the errors
     */
    static int run(PrintStream out, PrintStream progress, String... args) {
        String typed = withoutLogin("millrace lab " + String.join(" ", args));
        var line = new CommandLine(new LabCommand(out, progress, typed))
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(progress, true, progress.charset()))
                .setParameterExceptionHandler((wrong, given) -> wrongOptions(wrong, progress))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, progress));
        Optional.ofNullable(line.getSubcommands().get("micro"))
                .orElseThrow()
                .setUnmatchedOptionsArePositionalParams(true); // options of JMH
        return line.execute(args);
    }

    private static int wrongOptions(ParameterException wrong, PrintStream progress) {
        String first = String.valueOf(wrong.getMessage()).lines().findFirst().orElse("wrong options");
        progress.println("lab: " + withoutLogin(first) + (first.endsWith(".") ? "" : ".") + " See --help.");
        return CommandLine.ExitCode.USAGE;
    }

    private static int failed(Exception failure, PrintStream progress) throws Exception {
        if (failure instanceof LabInterrupted) {
            progress.println(
                    failure.getSuppressed().length == 0
                            ? "lab: interrupted; the lab has removed its keys"
                            : "lab: interrupted, and the cleanup failed: "
                                    + withoutLogin(String.valueOf(failure.getSuppressed()[0].getMessage())));
            return INTERRUPTED;
        }
        if (failure instanceof LabException) {
            progress.println("lab: " + withoutLogin(String.valueOf(failure.getMessage())));
            return CommandLine.ExitCode.USAGE;
        }
        if (failure instanceof JedisException) {
            progress.println("lab: the server does not answer any more: " + failure.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        throw failure;
    }

    /** Removes everything between the scheme of a URI and its last {@code @}, because a password may be there. */
    private static String withoutLogin(String text) {
        return LOGIN.matcher(text).replaceAll("://***@");
    }

    private Lab() {}
}
