// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Route;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What lies between the lab and a server.
 *
 * @param roundTrip of a lone command, the median
 * @param bytesPerSecond that go through to the server when it has next to nothing to do with them
 * @param local whether server and lab share their processors
 */
record Link(Duration roundTrip, double bytesPerSecond, boolean local) {

    private static final int PINGS = 101;
    private static final int MOST_PING_SECONDS = 2;
    private static final int VALUE_BYTES = 1 << 20;
    private static final int VALUES = 32;

    /** Measures what goes through by values of a megabyte that are set, and taken away again. */
    static Link measure(RedisServer server, Route route) {
        try (var control = server.connect(route.endpoint())) {
            var value = "x".repeat(VALUE_BYTES);
            long start = System.nanoTime();
            try (var pipeline = control.pipelined()) {
                for (int i = 0; i < VALUES; i++) {
                    pipeline.set(Keyspace.PREFIX + "bandwidth", value);
                }
                pipeline.sync();
            }
            double seconds = (System.nanoTime() - start - route.distance().toNanos()) / 1e9;
            server.reset();
            return new Link(route.distance(), (double) VALUES * VALUE_BYTES / Math.max(seconds, 1e-6), isLocal(server));
        }
    }

    /** The median round trip of a lone {@code PING} to {@code server} by the door {@code endpoint}. */
    static Duration distance(RedisServer server, Endpoint endpoint) {
        try (var control = server.connect(endpoint)) {
            List<Long> nanos = new ArrayList<>();
            long begin = System.nanoTime();
            while (nanos.size() < PINGS && System.nanoTime() - begin < MOST_PING_SECONDS * 1_000_000_000L) {
                long start = System.nanoTime();
                control.ping();
                nanos.add(System.nanoTime() - start);
            }
            Collections.sort(nanos);
            return Duration.ofNanos(nanos.get(nanos.size() / 2));
        }
    }

    private static boolean isLocal(RedisServer server) {
        try {
            return InetAddress.getByName(server.endpoint().host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
