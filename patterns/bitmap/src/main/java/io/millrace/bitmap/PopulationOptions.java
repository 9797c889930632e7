// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;

/**
 * Options of {@link Populations}.
 *
 * @param threads {@link #THREADS}
 */
public record PopulationOptions(int threads) {

    /** Range: 1 to 256. Default: the number of processors. */
    public static final Setting<Integer> THREADS = new Setting<>(
            "threads",
            1,
            256,
            Math.min(256, Runtime.getRuntime().availableProcessors()),
            Unit.COUNT,
            "Number of threads that compute the bits of a population.");

    /** The default options. */
    public static final PopulationOptions DEFAULT = new PopulationOptions(THREADS.defaultValue());

    public PopulationOptions {
        THREADS.check(threads);
    }

    public PopulationOptions threads(int count) {
        return new PopulationOptions(count);
    }
}
