// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

/** Starts the server. */
public final class Server {
    private Server() {}
}
