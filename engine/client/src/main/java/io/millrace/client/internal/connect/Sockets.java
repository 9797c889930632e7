// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.internal.log.ClientLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** Closes sockets. */
final class Sockets {

    private Sockets() {}

    /** Closes {@code socket}. A failure has no consequences and is only logged. */
    static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            ClientLog.logger().log(Level.DEBUG, "closing a socket failed", e);
        }
    }
}
