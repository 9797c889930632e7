// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Starts a server in cluster mode, without other nodes and without hash slots. */
final class ClusterNode {

    private ClusterNode() {}

    static EmbeddedRedis start() {
        // By default, the port of the cluster bus is 10,000 above the port of the server, and may be too high.
        return EmbeddedRedis.start(
                EmbeddedOptions.defaults().withConfig("cluster-enabled yes", "cluster-port " + freePort()));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
