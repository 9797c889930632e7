// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;

/** What is done to sockets here, each right for one that is closed already. */
final class Sockets {

    private Sockets() {}

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket cannot be closed: " + socket, e);
        }
    }

    /** Closes with a reset (RST) and drops what was not sent yet. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // It is closed, which is all that is left to be done.
        }
        close(socket);
    }

    /** Lets every write leave at once (TCP_NODELAY). */
    static void withoutDelay(Socket socket) {
        try {
            socket.setTcpNoDelay(true);
        } catch (SocketException e) {
            // Closed or reset meanwhile: there will be no write.
        }
    }
}
