// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * Turns off the logs of libraries, including the client. The logs would be written to standard error, between the
 * messages of the CLI. No fact is lost: the exceptions and outcomes of the libraries contain the same facts as the
 * logs, and the command line prints these facts.
 *
 * <p>{@code java.util.logging} creates an object of this class when a library uses a logger for the first time. The
 * class and its constructor are public for this reason only.
 */
public final class LibraryLogs {

    private static final String CONFIGURATION = """
            handlers = java.util.logging.ConsoleHandler
            io.millrace.level = OFF
            org.postgresql.level = OFF
            """;

    public LibraryLogs() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Turns off the logs, unless the user has configured the logging of this JVM. Must be called before a library uses
     * a logger. Does not initialise the logging, which would take about 10 ms.
     */
    static void silence() {
        if (System.getProperty("java.util.logging.config.file") == null) {
            System.setProperty("java.util.logging.config.class", LibraryLogs.class.getName());
        }
    }
}
