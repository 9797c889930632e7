// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

/** The bits of {@link io.millrace.lab.bitmap.RandomBits}, stored as a population. */
public record RandomExperiment(long bits) {

    /** The probability of a set bit, as a request for an experiment has the probability. */
    public static final int LESS_THAN = 10;

    public static final int MAX_RANDOM = 1_000;
}
