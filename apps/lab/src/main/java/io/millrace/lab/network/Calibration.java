// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.time.Duration;

/**
 * What a round trip through the proxy costs beyond its delay: two more wakings each way, and sleeps that end late. It
 * is much the same for every delay, so it is measured with a short one.
 *
 * <p>Under load the threads sleep less and cost less, while everything queues: the delay may then be shorter by up to
 * the correction.
 */
final class Calibration {

    /**
     * Round trips with a longer delay would take too long. Sleeps get later with their length, so it should not be much
     * shorter.
     */
    private static final Duration LONGEST_DELAY = Duration.ofMillis(5);

    /** The first finds code that is not compiled yet, and is corrected by the next. */
    private static final int PASSES = 3;

    /** For the round trips of one pass: three fit into a second. */
    private static final Duration PASS = Duration.ofMillis(200);

    /** The median of so many is good to some 0.01 ms on an idle machine. */
    private static final int MOST_SAMPLES = 120;

    /**
     * Hops of an idle machine cost 0.05 to 0.2 ms. What is more comes from other work, which will have gone when it
     * counts: taking it off would make the delay too short then, and nobody would see it.
     */
    private static final Duration MOST = Duration.ofNanos(300_000);

    private Calibration() {}

    /**
     * What to take off a delay of {@code roundTrip}: 0 to {@code roundTrip}, and never more than 0.3 ms. Takes less
     * than a second.
     */
    static Duration correctionFor(Duration roundTrip) {
        var delay = least(roundTrip, LONGEST_DELAY);
        var most = least(roundTrip, MOST);
        var correction = Duration.ZERO;
        if (roundTrip.isZero()) {
            return correction;
        }
        int samples = (int) Math.min(MOST_SAMPLES, PASS.dividedBy(delay));
        for (int pass = 0; pass < PASSES; pass++) {
            var measured = Accuracy.measure(delay, correction, Limits.STANDARD, samples);
            correction = least(most, correction.plus(measured.error()));
            correction = correction.isNegative() ? Duration.ZERO : correction;
        }
        return correction;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
