// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * What a proxy's delay really is: the round trips of one caller that waits for each reply, to an echo on loopback,
 * directly and through the proxy. Other work on the machine makes both longer.
 *
 * @param asked the delay that was asked for
 * @param direct median of the round trip without the proxy
 * @param through median of the round trip through the proxy
 * @param throughLow a tenth of the round trips through the proxy were as short as this, or shorter
 * @param throughHigh a tenth of the round trips through the proxy were as long as this, or longer
 * @param samples round trips of each
 */
public record Accuracy(
        Duration asked, Duration direct, Duration through, Duration throughLow, Duration throughHigh, int samples) {

    /** Not counted: the first round trips of a connection find cold code and cold caches. */
    private static final int WARM_UPS = 10;

    /** What the proxy adds to the median. */
    public Duration added() {
        return through.minus(direct);
    }

    /** What it adds beyond what was asked: below 0 if it adds less. */
    public Duration error() {
        return added().minus(asked);
    }

    static Accuracy measure(Duration roundTrip, Duration correction, Limits limits, int samples) {
        if (samples < 10) {
            throw new IllegalArgumentException("samples must be 10 or more: samples=" + samples);
        }
        try (var echo = Echo.start();
                var proxy = LatencyProxy.start(echo.address(), roundTrip, correction, limits);
                var direct = new Pings(echo.address());
                var through = new Pings(new InetSocketAddress(proxy.host(), proxy.port()))) {
            direct.ping(WARM_UPS);
            through.ping(WARM_UPS);
            direct.forget();
            through.forget();
            Pings.inTurns(direct, through, samples);
            return new Accuracy(
                    roundTrip,
                    direct.quantile(0.5),
                    through.quantile(0.5),
                    through.quantile(0.1),
                    through.quantile(0.9),
                    samples);
        } catch (IOException e) {
            throw new LabException(
                    "round trips on loopback cannot be measured: roundTrip=" + roundTrip + ", cause=" + e.getMessage(),
                    e);
        }
    }
}
