// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

/** A server in this JVM that answers {@code GET /value/{key}} with a value that begins with {@code {key}-value}. */
interface ValueServer extends AutoCloseable {

    int port();

    /** Number of values that the server has computed so far. */
    long computations();

    @Override
    void close();
}
