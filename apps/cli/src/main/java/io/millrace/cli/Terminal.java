// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The terminal: the width of standard error, and passwords from the terminal of the process.
 *
 * <p>{@link System#console} checks standard input and output, which are often redirected ({@code … --json > f}).
 * Progress is written to standard error, so this class runs a shell that checks standard error.
 */
final class Terminal {

    private static final String[] ASK = {"sh", "-c", "test -t 2 && stty size <&2"};

    /**
     * Reads a line from the terminal of the process, which needs not be standard input. The terminal shows the prompt, and
     * does not show what is typed. It shows typed characters again also after an interrupt.
     */
    private static final String ASK_PASSWORD = """
            exec 3<>/dev/tty || exit 1
            saved=$(stty -g <&3) || exit 1
            trap 'stty "$saved" <&3; printf "\\n" >&3' EXIT
            trap 'exit 1' INT TERM HUP
            stty -echo <&3
            printf '%s' "$1" >&3
            IFS= read -r password <&3 || exit 1
            printf '%s' "$password"
            """;

    private static final int USUAL_WIDTH = 80;

    private Terminal() {}

    /**
     * The columns of the terminal. Empty if standard error is not a terminal, or no shell is found. Blocks for some
     * milliseconds.
     */
    static OptionalInt width() {
        try {
            Process shell = new ProcessBuilder(ASK)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            shell.getOutputStream().close();
            String size = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return shell.waitFor() == 0 ? OptionalInt.of(columns(size)) : OptionalInt.empty();
        } catch (IOException noShell) {
            return OptionalInt.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }

    /** Asks for a password. Blocks until a line was typed. Empty if there is no terminal, or no shell is found. */
    static Optional<String> askPassword(String prompt) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", ASK_PASSWORD, "sh", prompt)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            shell.getOutputStream().close();
            String password = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return shell.waitFor() == 0 ? Optional.of(password) : Optional.empty();
        } catch (IOException noShell) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Parses {@code rows columns}. The result is 80 if the terminal does not know its size and reports 0. */
    static int columns(String size) {
        int space = size.indexOf(' ');
        try {
            int columns = Integer.parseInt(size.substring(space + 1));
            return columns > 0 ? columns : USUAL_WIDTH;
        } catch (NumberFormatException unknown) {
            return USUAL_WIDTH;
        }
    }
}
