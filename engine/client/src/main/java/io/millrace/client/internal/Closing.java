// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** Closes sockets that nobody needs any more. */
final class Closing {

    private static final System.Logger LOG = System.getLogger(Closing.class.getName());

    private Closing() {}

    /** Closes; a failure of that changes nothing for anybody, so it is only logged. */
    static void quietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "closing a socket failed", e);
        }
    }
}
