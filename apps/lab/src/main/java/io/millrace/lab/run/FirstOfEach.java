// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Prints what libraries log, from warnings on: one line for each kind of record, and only the first of it. A library
 * that is flooded until its memory ends says so thousands of times, with a stack trace each. Safe to use from several
 * threads.
 */
final class FirstOfEach extends Handler {

    private final Set<String> printed = ConcurrentHashMap.newKeySet();

    private FirstOfEach() {}

    /** Takes the place of whatever is there. */
    static void install() {
        LogManager.getLogManager().reset();
        var root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new FirstOfEach());
    }

    @Override
    public void publish(LogRecord record) {
        var thrown = record.getThrown();
        var source = record.getLevel() + " of " + record.getLoggerName() + ": ";
        var kind = source
                + (thrown == null ? record.getMessage() : thrown.getClass().getName());
        if (isLoggable(record) && printed.add(kind)) {
            System.err.println(source + record.getMessage() + (thrown == null ? "" : ": " + Failures.inOneLine(thrown))
                    + " (more like it are not shown)");
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
