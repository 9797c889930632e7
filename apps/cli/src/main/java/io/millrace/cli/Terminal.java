// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * The terminal of standard error.
 *
 * <p>{@link System#console} checks standard input and output, which are often redirected ({@code … --json > f}).
 * Progress is written to standard error, so this class runs a shell that checks standard error.
 */
final class Terminal {

    private static final String[] ASK = {"sh", "-c", "test -t 2 && stty size <&2"};
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
