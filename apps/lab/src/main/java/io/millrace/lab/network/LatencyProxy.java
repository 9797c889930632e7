// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.server.LabException;
import java.time.Duration;

/**
 * A TCP proxy on loopback that adds half of a round trip to each direction. The proxy does not lower the bandwidth.
 *
 * <p>Opening a connection costs one round trip more, as in a network. A server that refuses the connection shows as a
 * reset. Memory is limited: at the limit the proxy stops reading, and TCP stops the sender.
 *
 * <p>The proxy itself costs some 0.1 ms in a round trip, because threads wake. {@link Calibration} measures this cost at
 * the start and subtracts it from the delay. {@link #added} tells what a round trip really gains.
 */
public final class LatencyProxy implements AutoCloseable {

    private static final Duration LONGEST_ROUND_TRIP = Duration.ofMinutes(1);

    private final CuttableProxy proxy;
    private final Duration added;

    private LatencyProxy(CuttableProxy proxy, Duration added) {
        this.proxy = proxy;
        this.added = added;
    }

    /**
     * Starts a proxy in front of {@code host} and {@code port}. The server need not answer yet. Takes some seconds for
     * the calibration.
     *
     * @param roundTrip what the proxy adds to a round trip; 0 to 1 minute. With 0 the proxy only forwards
     * @throws LabException if the host is unknown, or no port is free
     */
    public static LatencyProxy start(String host, int port, Duration roundTrip) {
        if (roundTrip.isNegative() || roundTrip.compareTo(LONGEST_ROUND_TRIP) > 0) {
            throw new IllegalArgumentException("roundTrip must be 0 to 1 minute: roundTrip=" + roundTrip);
        }
        CuttableProxy.address(host, port);
        Calibration calibration = Calibration.of(roundTrip);
        return new LatencyProxy(CuttableProxy.start(host, port, calibration.delay()), calibration.added());
    }

    /** The address for clients: always {@code 127.0.0.1}. */
    public String host() {
        return proxy.host();
    }

    /** The port for clients. */
    public int port() {
        return proxy.port();
    }

    /** What the proxy adds to the median round trip, as measured at the start with an echo server. */
    public Duration added() {
        return added;
    }

    /** Ends all connections and threads. */
    @Override
    public void close() {
        proxy.close();
    }
}
