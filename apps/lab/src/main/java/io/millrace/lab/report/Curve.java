// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Series;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How the rate depends on one setting, the others held.
 *
 * @param experiment it belongs to
 * @param name of the setting in one word
 * @param title of the setting for people
 * @param roundTrip that was added; zero for nothing
 * @param held the other settings, by name
 * @param points from the lowest value to the highest
 * @param best the value with the highest rate
 * @param knee the lowest value from which on little is gained
 * @param recommended the value to use
 * @param bottleneck what stands in the way at the recommended value
 * @param why the figures that say so
 */
public record Curve(
        String experiment,
        String name,
        String title,
        Duration roundTrip,
        Map<String, Long> held,
        List<Point> points,
        long best,
        long knee,
        long recommended,
        String bottleneck,
        String why) {

    public Curve {
        held = Map.copyOf(held);
        points = List.copyOf(points);
    }

    /**
     * One value of the setting.
     *
     * @param perSecond operations per second, round by round
     * @param cpuMicros of the client for an operation
     * @param serverBusy the part of the time in which the server's thread was
     */
    public record Point(long value, Series perSecond, double cpuMicros, double serverBusy) {}
}
