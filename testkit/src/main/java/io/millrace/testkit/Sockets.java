// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;

/** Operations on sockets. They have no effect on a socket that is already closed. */
final class Sockets {

    private Sockets() {}

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket cannot be closed: " + socket, e);
        }
    }

    /** Closes the connection with a reset (RST) and drops bytes that were not sent yet. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // The socket is closed already.
        }
        close(socket);
    }

    /** Sets TCP_NODELAY, so that every write is sent at once. */
    static void withoutDelay(Socket socket) {
        try {
            socket.setTcpNoDelay(true);
        } catch (SocketException e) {
            // The socket was already closed or reset, so nothing is written to it.
        }
    }
}
