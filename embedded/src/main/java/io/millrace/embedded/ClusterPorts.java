// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds data ports for the servers of a cluster.
 *
 * <p>Such a server also listens on a bus port: its data port + {@value #BUS_OFFSET}. Redis 7.0 and later can use another
 * bus port ({@code cluster-port}). Older servers cannot, so this class finds a data port whose default bus port is free,
 * too. Both ports are below the range from which Linux (32,768) and macOS (49,152) take the local ports of connections.
 */
final class ClusterPorts {

    static final int BUS_OFFSET = 10_000;

    private static final int FIRST = 11_000;
    private static final int LAST = 32_767 - BUS_OFFSET;
    private static final int ATTEMPTS = 1_000;

    private ClusterPorts() {}

    /**
     * Returns a data port that is free at the moment, as is its bus port. Another process may take one of them before the
     * server does, so the caller must be able to retry.
     */
    static int free() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (isFree(port) && isFree(port + BUS_OFFSET)) {
                return port;
            }
        }
        throw new EmbeddedRedisException("no free ports for a server of a cluster: data port=" + FIRST + ".." + LAST
                + ", bus port=data port + " + BUS_OFFSET + ", attempts=" + ATTEMPTS
                + ". End other servers on this machine.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByAddress(EmbeddedRedis.loopback()))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
