// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Captures the log of Millrace at every level during a test. The test can read the captured records. The records are
 * not printed, because some tests lose thousands of connections and would print too many records.
 */
final class CapturedLog extends Handler implements BeforeEachCallback, AfterEachCallback {

    /**
     * A strong reference to the logger. Without this reference, the garbage collector may remove the logger and its
     * settings.
     */
    private static final Logger LOGGER = Logger.getLogger("io.millrace");

    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

    /** Returns every captured record, with the stack trace of its exception if it has an exception. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    /** Returns the text of every captured warning, without the level. */
    List<String> warnings() {
        String level = "WARNING ";
        return lines.stream()
                .filter(line -> line.startsWith(level))
                .map(line -> line.substring(level.length()))
                .toList();
    }

    /** Clears the captured records. */
    void clear() {
        lines.clear();
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
        StringWriter text = new StringWriter();
        text.append(logged.getLevel().toString()).append(' ').append(new SimpleFormatter().formatMessage(logged));
        if (logged.getThrown() != null) {
            logged.getThrown().printStackTrace(new PrintWriter(text));
        }
        lines.add(text.toString());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
