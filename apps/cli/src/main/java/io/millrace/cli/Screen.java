// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * The terminal that standard error may be.
 *
 * <p>{@link System#console} looks at standard input and output, which are redirected in everyday use ({@code … --json > f});
 * what matters here is standard error, and the shell can tell.
 */
final class Screen {

    private static final String[] ASK = {"sh", "-c", "test -t 2 && stty size <&2"};
    private static final int USUAL_WIDTH = 80;

    private Screen() {}

    /** The columns of the terminal; empty if standard error is none, or there is no shell to ask. Waits a few milliseconds. */
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

    /** The second number of {@code rows columns}; terminals that do not know their size say 0. */
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
