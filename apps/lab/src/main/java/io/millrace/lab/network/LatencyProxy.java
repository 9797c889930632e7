// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback that adds a delay to each direction, at full bandwidth: what is on its way waits side by
 * side, so a round trip takes longer and a stream does not. Two threads serve any number of connections. Safe for any
 * thread.
 *
 * <p>Opening a connection costs a round trip, as on a network: the client's socket is connected at once, but what it
 * sends is not read before the target's consent has travelled back. The ends of streams and resets take as long as data
 * do. A target that refuses shows as a reset.
 *
 * <p>Memory is bounded by {@link Limits}; at a limit the proxy stops reading, and TCP slows the sender.
 *
 * <p>DESIGN.
 *
 * <pre>
 *              reading thread             {@link DelayLine}          delivering thread
 *   sockets -> {@link Arrivals}     ->  stamped, first in first out  ->  {@link Deliveries} -> sockets
 *                   ^                                                      |
 *                   +--------- orders: connect, read again, ----------------+
 *                              tell when writable, close
 * </pre>
 *
 * <p>A selector counts time-outs in milliseconds, too coarse for half of 1 ms; so one thread waits in the selector
 * without a time-out, the other sleeps until the head of the line is due. Neither spins. The reading thread alone opens
 * and closes channels and changes what their keys wait for; the delivering thread alone writes, and ends output.
 *
 * <p>Who owns what: a field is final, or its class says beside it which thread or lock it belongs to. Hand-overs:
 *
 * <ul>
 *   <li>a parcel, its bytes, its lane and its link: from the lock of the line in {@code offer} to that in
 *       {@code takeDue};
 *   <li>an order: through a concurrent queue, and the selector is woken after it was put in. The reading
 *       thread empties the queue after every selection, so it misses none;
 *   <li>a lane that can be written again: through a concurrent queue, and the delivering thread is unparked after it
 *       was put in. The permit of a thread that is not parked yet makes its next parking return;
 *   <li>the first item of an empty line: likewise. Any other is due after an earlier one, for which the thread
 *       wakes anyway.
 * </ul>
 *
 * <p>Nothing waits in a circle: the delivering thread waits for time alone, what it cannot write it puts aside, and
 * reading waits for room, which delivering makes. A direction whose destination takes nothing fills to its limit and
 * stops alone.
 *
 * <p>Two wakings more and a sleep that ends late cost a round trip some 0.1 ms beyond the delay. {@link Calibration}
 * measures that at start and takes it off the delay; {@link #accuracy} says what is left.
 */
public final class LatencyProxy implements AutoCloseable {

    /** As many as the kernel lets wait by default, so that thousands may connect at once. */
    private static final int WAITING_CONNECTIONS = 4096;

    private final InetSocketAddress address;
    private final Duration roundTrip;
    private final Duration correction;
    private final Limits limits;
    private final DelayLine<Parcel> line;
    private final Arrivals arrivals;
    private final Deliveries deliveries;
    private final Thread reader;

    /** Set once, by the thread that failed first. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private LatencyProxy(
            ServerSocketChannel listener,
            InetSocketAddress target,
            Duration roundTrip,
            Duration correction,
            Limits limits)
            throws IOException {
        this.address = (InetSocketAddress) listener.getLocalAddress();
        this.roundTrip = roundTrip;
        this.correction = correction;
        this.limits = limits;
        this.line = new DelayLine<>(oneWay(roundTrip, correction), limits, System::nanoTime);
        var name = "millrace-lab-proxy-" + address.getPort();
        this.deliveries = new Deliveries(line, name + "-deliveries", this::fail);
        this.arrivals = new Arrivals(line, deliveries, listener, target, this::fail);
        this.reader = Thread.ofPlatform().name(name + "-arrivals").daemon().unstarted(arrivals);
    }

    private static Duration oneWay(Duration roundTrip, Duration correction) {
        var both = roundTrip.minus(correction);
        return both.isNegative() ? Duration.ZERO : both.dividedBy(2);
    }

    /** {@link #start(String, int, Duration, Limits)} with {@link Limits#STANDARD}. */
    public static LatencyProxy start(String host, int port, Duration roundTrip) {
        return start(host, port, roundTrip, Limits.STANDARD);
    }

    /**
     * Starts a proxy in front of {@code host} and {@code port}, which need not answer yet. Takes about a second, in
     * which it measures what its own hops cost; without a delay it takes no time.
     *
     * @param roundTrip the delay added to a round trip, half of it in each direction; 0 to 1 min. With 0 it only
     *     forwards
     * @throws LabException if {@code host} is unknown, or no port can be had
     */
    public static LatencyProxy start(String host, int port, Duration roundTrip, Limits limits) {
        if (roundTrip.isNegative() || roundTrip.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("roundTrip must be 0 to 1 min: roundTrip=" + roundTrip);
        }
        var target = new InetSocketAddress(host, port);
        if (target.isUnresolved()) {
            throw new LabException("the host is unknown: host=" + host + ", port=" + port + ". Check its spelling.");
        }
        return start(target, roundTrip, Calibration.correctionFor(roundTrip), limits);
    }

    /** Without measuring: the delay is {@code roundTrip} less {@code correction}. */
    static LatencyProxy start(InetSocketAddress target, Duration roundTrip, Duration correction, Limits limits) {
        ServerSocketChannel listener = null;
        try {
            listener = ServerSocketChannel.open();
            listener.bind(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), WAITING_CONNECTIONS);
            var proxy = new LatencyProxy(listener, target, roundTrip, correction, limits);
            proxy.deliveries.thread().start();
            proxy.reader.start();
            return proxy;
        } catch (IOException e) {
            closeQuietly(listener);
            throw new LabException("no proxy can be started: target=" + target + ", cause=" + e.getMessage(), e);
        }
    }

    private static void closeQuietly(@Nullable ServerSocketChannel listener) {
        try (listener) {
            // Closes it.
        } catch (IOException e) {
            // The failure that led here is the one to tell.
        }
    }

    /** Where clients connect: always {@code 127.0.0.1}. */
    public String host() {
        return address.getAddress().getHostAddress();
    }

    /** Where clients connect: a port that was free. */
    public int port() {
        return address.getPort();
    }

    /** The delay added to a round trip, as asked for. */
    public Duration roundTrip() {
        return roundTrip;
    }

    /** What was taken off {@link #roundTrip} for what the proxy's own hops cost. */
    public Duration correction() {
        return correction;
    }

    /**
     * Measures what a proxy like this one really adds: one to an echo on loopback, so that neither the target nor its
     * password play a part. Takes {@code samples} round trips and some more.
     *
     * @param samples round trips, each way of going, 10 or more; a hundred are good for the second digit
     */
    public Accuracy accuracy(int samples) {
        return Accuracy.measure(roundTrip, correction, limits, samples);
    }

    /** What is charged for data that are held at the moment, in bytes. */
    long heldBytes() {
        return line.heldBytes();
    }

    /** How many connections are open at the moment. */
    int connections() {
        return arrivals.open();
    }

    private void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        stop();
    }

    private void stop() {
        deliveries.stop();
        arrivals.stop();
    }

    /**
     * Ends all connections and threads, whatever is on its way; returns when they have ended.
     *
     * @throws LabException if the proxy had ended by itself before: what was measured through it is worth nothing
     */
    @Override
    public void close() {
        stop();
        Threads.join(deliveries.thread(), reader);
        var cause = failure.get();
        if (cause != null) {
            throw new LabException("the proxy ended by itself: port=" + port() + ", cause=" + cause, cause);
        }
    }
}
