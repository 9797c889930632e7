// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Shows how a run goes: lines, and on a terminal a last line that changes. Safe to use from several threads: the turns'
 * and the one that looks at the server.
 */
final class TerminalProgress implements Progress {

    /** Of a terminal that does not say how wide it is. */
    private static final int USUAL_COLUMNS = 110;

    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final OptionalInt columns;
    private final ReentrantLock lock = new ReentrantLock(); // guards what is written

    /**
     * Onto {@code out}.
     *
     * @param columns of the terminal that it is; empty if it is none
     */
    TerminalProgress(PrintStream out, OptionalInt columns) {
        this.out = out;
        this.columns = columns;
    }

    /**
     * How wide standard error is; empty if it is no terminal. {@code System.console} looks at the other two, so the
     * shell is asked.
     */
    static OptionalInt columnsOfError() {
        try {
            var shell = new ProcessBuilder("sh", "-c", "test -t 2 && { stty size <&2 || echo; }")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var size = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return shell.waitFor() == 0 ? OptionalInt.of(columns(size)) : OptionalInt.empty();
        } catch (IOException noShell) {
            return OptionalInt.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }

    /** Of rows and columns as {@code stty} prints them; some terminals say that they have none. */
    static int columns(String size) {
        var words = size.strip().split(" ", 2);
        int columns = words.length == 2 && words[1].matches("\\d{1,5}") ? Integer.parseInt(words[1]) : 0;
        return columns == 0 ? USUAL_COLUMNS : columns;
    }

    /** One less than there are: some terminals begin a new line behind the last. */
    @Override
    public int room() {
        return Math.max(1, columns.orElse(USUAL_COLUMNS) - 1);
    }

    @Override
    public void line(String text) {
        lock.lock();
        try {
            out.println(columns.isPresent() ? ERASE_LINE + text : text);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void now(String text) {
        if (columns.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            out.print(ERASE_LINE + (text.length() > room() ? text.substring(0, room()) : text));
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the terminal with an empty last line. */
    void end() {
        now("");
    }
}
