// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All rounds of one contender in one scenario over one distance.
 *
 * @param roundTrip what the proxy adds to a round trip; zero without a proxy
 * @param samples in the order of the rounds, with warm-ups
 * @param failure why rounds are missing; empty if none is missing
 */
public record Result(
        String experiment,
        Scenario scenario,
        Contender contender,
        Duration roundTrip,
        List<Sample> samples,
        Optional<String> failure) {

    public Result {
        samples = List.copyOf(samples);
    }

    /** The samples that are not warm-ups. */
    public List<Sample> counted() {
        return samples.stream().filter(Sample::isCounted).toList();
    }

    /** Whether all rounds ended, and no round, warm-ups included, has a complaint. */
    public boolean isVerified() {
        return failure.isEmpty()
                && !counted().isEmpty()
                && samples.stream().allMatch(sample -> sample.complaints().isEmpty());
    }
}
