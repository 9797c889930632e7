// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Shows the progress of a run: lines that stay, and on a terminal a last line that changes. Safe to use from several
 * threads.
 */
public final class ProgressLine {

    /** Columns of a terminal that does not report its width. */
    private static final int USUAL_COLUMNS = 110;

    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final OptionalInt columns;

    /** Guards the output. */
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Writes to {@code out}.
     *
     * @param columns width of the terminal; empty if {@code out} is no terminal
     */
    public ProgressLine(PrintStream out, OptionalInt columns) {
        this.out = out;
        this.columns = columns;
    }

    /** Writes to the standard error. Asks a shell for the width, because {@code System.console} checks other streams. */
    public static ProgressLine onStandardError() {
        return new ProgressLine(System.err, columnsOfStandardError());
    }

    private static OptionalInt columnsOfStandardError() {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "test -t 2 && { stty size <&2 || echo; }")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String size = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return shell.waitFor() == 0 ? OptionalInt.of(columns(size)) : OptionalInt.empty();
        } catch (IOException e) {
            return OptionalInt.empty(); // Without a shell, there is no terminal.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }

    /** Parses the rows and columns that {@code stty size} prints. Some terminals report 0 columns. */
    static int columns(String size) {
        String[] words = size.strip().split(" ", 2);
        int columns = words.length == 2 && words[1].matches("\\d{1,5}") ? Integer.parseInt(words[1]) : 0;
        return columns == 0 ? USUAL_COLUMNS : columns;
    }

    /** Writes a line that stays. */
    public void line(String text) {
        lock.lock();
        try {
            out.println(columns.isPresent() ? ERASE_LINE + text : text);
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the last line of the terminal. Has no effect if the output is no terminal. */
    public void now(String text) {
        if (columns.isEmpty()) {
            return;
        }
        // Some terminals start a new line after the last column, so one column stays free.
        int room = Math.max(1, columns.getAsInt() - 1);
        lock.lock();
        try {
            out.print(ERASE_LINE + (text.length() > room ? text.substring(0, room) : text));
            out.flush();
        } finally {
            lock.unlock();
        }
    }
}
