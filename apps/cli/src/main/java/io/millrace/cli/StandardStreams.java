// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * The standard streams, the environment variables and the terminal width of a run.
 *
 * @param out receives results only
 * @param err receives progress, messages and errors
 * @param env the environment variables
 * @param terminalWidth returns the columns of the terminal; empty if {@code err} is not a terminal. The supplier
 *     starts a process, so it is called at most once
 * @param passwordPrompt asks for passwords on the terminal
 */
record StandardStreams(
        InputStream in,
        PrintStream out,
        PrintStream err,
        Map<String, String> env,
        Supplier<OptionalInt> terminalWidth,
        PasswordPrompt passwordPrompt) {

    /** Prints the result of a run to {@code out}. If this fails, prints the result to {@code err}, and returns false. */
    boolean printResult(String text) {
        out.println(text);
        if (!out.checkError()) {
            return true;
        }
        err.println("millrace: the result could not be written to standard output. The result is:");
        err.println(text);
        err.flush();
        return false;
    }

    /** Asks a person for a password. */
    @FunctionalInterface
    interface PasswordPrompt {

        /** There is no terminal. */
        PasswordPrompt NONE = prompt -> Optional.empty();

        /** Blocks until a line was typed. Empty if there is no terminal. */
        Optional<String> ask(String prompt);
    }

    /**
     * Returns the streams of this process. Standard input is read through a channel: closing a channel ends a blocked
     * read, but closing {@link System#in} does not.
     */
    static StandardStreams ofProcess() {
        InputStream in = Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel());
        return new StandardStreams(in, System.out, System.err, System.getenv(), Terminal::width, Terminal::askPassword);
    }

    /** The value of an environment variable. Empty if the variable is not set or has an empty value. */
    Optional<String> env(String name) {
        return Optional.ofNullable(env.get(name)).filter(value -> !value.isEmpty());
    }
}
