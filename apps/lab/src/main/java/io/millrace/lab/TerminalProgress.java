// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Shows how a run goes: lines, and on a terminal a last line that changes. Safe to use from several threads: the turns' and the
 * one that looks at the server.
 */
final class TerminalProgress implements Progress {

    private static final int WIDTH = 110;
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final ReentrantLock lock = new ReentrantLock(); // guards what is written

    TerminalProgress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Whether standard error is a terminal: {@code System.console} looks at the other two, so the shell is asked. */
    static boolean errorIsTerminal() {
        try {
            return new ProcessBuilder("sh", "-c", "test -t 2")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noShell) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void line(String text) {
        lock.lock();
        try {
            out.println(terminal ? ERASE_LINE + text : text);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void now(String text) {
        if (!terminal) {
            return;
        }
        lock.lock();
        try {
            out.print(ERASE_LINE + (text.length() > WIDTH ? text.substring(0, WIDTH) : text));
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
