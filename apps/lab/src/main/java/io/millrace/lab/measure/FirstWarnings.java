// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Prints warnings and errors that libraries log: the first record of each kind, in one line. A library that is
 * overloaded may log the same record thousands of times. Safe to use from several threads.
 */
final class FirstWarnings extends Handler {

    private final Set<String> printed = ConcurrentHashMap.newKeySet();

    private FirstWarnings() {}

    /** Replaces all handlers of this JVM. */
    static void install() {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new FirstWarnings());
    }

    @Override
    public void publish(LogRecord record) {
        Throwable thrown = record.getThrown();
        String source = record.getLevel() + " of " + record.getLoggerName() + ": ";
        String kind = source
                + (thrown == null ? record.getMessage() : thrown.getClass().getName());
        if (isLoggable(record) && printed.add(kind)) {
            System.err.println(source + record.getMessage() + (thrown == null ? "" : ": " + FailureText.of(thrown))
                    + " (further records of this kind are not shown)");
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
