// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.LabException;
import io.millrace.lab.run.LabStopped;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.regex.Pattern;
import picocli.CommandLine;
import redis.clients.jedis.exceptions.JedisException;

/** Measures which way of talking to Redis is best, here: {@code millrace lab}. */
public final class Lab {

    private static final Pattern LOGIN = Pattern.compile("://\\S*@");

    /** Runs the lab and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(run(System.out, System.err, args));
    }

    /**
     * Runs the lab and returns its exit code, as {@link LabCommand} lists them.
     *
     * @param out takes the result
     * @param progress takes a line for every turn, and what went wrong
     */
    static int run(PrintStream out, PrintStream progress, String... args) {
        var command = new LabCommand(out, progress, typed(args));
        return new CommandLine(command)
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(progress, true, progress.charset()))
                .setParameterExceptionHandler((wrong, typed) -> {
                    var line = String.valueOf(wrong.getMessage())
                            .lines()
                            .findFirst()
                            .orElse("wrong options");
                    wrong.getCommandLine()
                            .getErr()
                            .println("lab: " + secretless(line) + (line.endsWith(".") ? "" : ".") + " Look at --help.");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    if (failure instanceof LabException) {
                        commandLine.getErr().println("lab: " + failure.getMessage());
                        return CommandLine.ExitCode.USAGE;
                    }
                    if (failure instanceof LabStopped) {
                        commandLine
                                .getErr()
                                .println(
                                        failure.getSuppressed().length == 0
                                                ? "lab: interrupted; its keys have been taken away"
                                                : "lab: interrupted, and could not clean up: "
                                                        + failure.getSuppressed()[0].getMessage());
                        return LabCommand.INTERRUPTED;
                    }
                    if (failure instanceof JedisException) {
                        commandLine
                                .getErr()
                                .println("lab: the server does not answer any more: " + failure.getMessage());
                        return CommandLine.ExitCode.USAGE;
                    }
                    throw failure;
                })
                .execute(args);
    }

    /** As it was typed, but for passwords: it goes into reports. */
    private static String typed(String... args) {
        return secretless("millrace lab " + String.join(" ", args));
    }

    /** Whatever stands between the scheme of a URI and its last {@code @} may be a login. */
    private static String secretless(String text) {
        return LOGIN.matcher(text).replaceAll("://***@");
    }

    private Lab() {}
}
