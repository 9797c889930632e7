// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;

/**
 * Finds the delay of a proxy that adds a given round trip. Each pass measures one caller that waits for each echo, with
 * and without a proxy in turns, and corrects the delay by the error.
 *
 * @param delay delay for the proxy
 * @param added what the proxy with this delay adds to the median round trip
 */
record Calibration(Duration delay, Duration added) {

    /**
     * The threads of the proxy cost 0.05 to 0.2 ms on an idle machine. A larger cost comes from other work, which may
     * have ended when the experiment runs: subtracting more would make the delay too short.
     */
    private static final Duration LARGEST_CORRECTION = Duration.ofNanos(300_000);

    /** The cost of the threads is nearly the same for every delay, so a short delay is used to find the correction. */
    private static final Duration LONGEST_MEASURED_DELAY = Duration.ofMillis(5);

    private static final Duration PASS = Duration.ofMillis(250);

    /** The first pass runs code that is not compiled yet. */
    private static final int PASSES = 3;

    private static final int LARGEST_SAMPLES = 120;
    private static final int SMALLEST_SAMPLES = 10;
    private static final int WARM_UPS = 10;
    private static final byte[] MESSAGE = new byte[14];

    static Calibration of(Duration roundTrip) {
        if (roundTrip.isZero()) {
            return new Calibration(Duration.ZERO, measureAdded(Duration.ZERO, LARGEST_SAMPLES));
        }
        Duration tried = smaller(roundTrip, LONGEST_MEASURED_DELAY);
        Duration limit = smaller(tried, LARGEST_CORRECTION);
        Duration correction = Duration.ZERO;
        for (int pass = 0; pass < PASSES; pass++) {
            Duration error =
                    measureAdded(tried.minus(correction), samples(tried)).minus(tried);
            Duration corrected = smaller(limit, correction.plus(error));
            correction = corrected.isNegative() ? Duration.ZERO : corrected;
        }
        Duration delay = roundTrip.minus(correction);
        return new Calibration(delay, measureAdded(delay, samples(roundTrip)));
    }

    private static int samples(Duration roundTrip) {
        return Math.clamp(PASS.dividedBy(roundTrip), SMALLEST_SAMPLES, LARGEST_SAMPLES);
    }

    private static Duration smaller(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** What a proxy with {@code delay} adds to the median round trip. */
    private static Duration measureAdded(Duration delay, int samples) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var echo = new ServerSocket(0, 2, loopback);
                var proxy = CuttableProxy.start("127.0.0.1", echo.getLocalPort(), delay);
                var direct = new Socket(loopback, echo.getLocalPort());
                var through = new Socket(loopback, proxy.port())) {
            var unused = List.of(threads.submit(() -> echo(echo.accept())), threads.submit(() -> echo(echo.accept())));
            roundTrips(direct, WARM_UPS);
            roundTrips(through, WARM_UPS);
            List<Long> directNanos = new ArrayList<>();
            List<Long> throughNanos = new ArrayList<>();
            for (int done = 0; done < samples; done += WARM_UPS) {
                directNanos.addAll(roundTrips(direct, WARM_UPS));
                throughNanos.addAll(roundTrips(through, WARM_UPS));
            }
            return Duration.ofNanos(median(throughNanos) - median(directNanos));
        } catch (IOException e) {
            throw new LabException(
                    "round trips on loopback cannot be measured: delay=" + delay + ", cause=" + e.getMessage(), e);
        }
    }

    private static long echo(Socket client) throws IOException {
        try (client) {
            client.setTcpNoDelay(true);
            return client.getInputStream().transferTo(client.getOutputStream());
        }
    }

    private static List<Long> roundTrips(Socket socket, int number) throws IOException {
        socket.setTcpNoDelay(true);
        InputStream input = socket.getInputStream();
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            long start = System.nanoTime();
            socket.getOutputStream().write(MESSAGE);
            input.skipNBytes(MESSAGE.length);
            nanos.add(System.nanoTime() - start);
        }
        return nanos;
    }

    private static long median(List<Long> nanos) {
        Collections.sort(nanos);
        return nanos.get(nanos.size() / 2);
    }
}
