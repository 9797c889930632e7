// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.log;

/** The log of the client. */
public final class ClientLog {

    private ClientLog() {}

    /**
     * Returns the logger. Callers ask for it only when they log: the first call initialises the logging of the JVM,
     * which takes about 10 ms, and most programs that end soon never log.
     */
    public static System.Logger logger() {
        return System.getLogger("io.millrace.client");
    }
}
