// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Captures the log of the task flows during a test. The records are not printed. */
final class CapturedLog extends Handler implements BeforeEachCallback, AfterEachCallback {

    /** A strong reference: without it, the garbage collector may remove the logger and its settings. */
    private static final Logger LOGGER = Logger.getLogger("io.millrace.tasks");

    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

    /** Returns the captured records: the level, a blank, the message, and the exception if there is one. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        lines.clear();
        LOGGER.setLevel(Level.ALL);
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(this);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        LOGGER.removeHandler(this);
        LOGGER.setUseParentHandlers(true);
        LOGGER.setLevel(null);
    }

    @Override
    public void publish(LogRecord logged) {
        lines.add(logged.getLevel() + " " + logged.getMessage()
                + (logged.getThrown() == null ? "" : " " + logged.getThrown()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
