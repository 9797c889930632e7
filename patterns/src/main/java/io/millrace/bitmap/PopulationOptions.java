// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * How populations are stored.
 *
 * @param keyBytes the most bytes of one key, 131,072 to 536,870,912 and a multiple of 131,072; what is longer is split. By default
 *     536,870,912, the most that Redis keeps in a string. A server whose {@code proto-max-bulk-len} is less, and that tells, gets less
 * @param threads that make bits, 1 to 256; by default as many as there are processors
 */
public record PopulationOptions(long keyBytes, int threads) {

    /** The defaults. */
    public static final PopulationOptions DEFAULT =
            new PopulationOptions(512L << 20, Math.min(256, Runtime.getRuntime().availableProcessors()));

    public PopulationOptions {
        Ranges.check("keyBytes", keyBytes, Blocks.BYTES, 512L << 20);
        if (keyBytes % Blocks.BYTES != 0) {
            throw new IllegalArgumentException(
                    "keyBytes is no multiple of " + Blocks.BYTES + ": " + keyBytes + ". Take the next one.");
        }
        Ranges.check("threads", threads, 1, 256);
    }

    public PopulationOptions keyBytes(long bytes) {
        return new PopulationOptions(bytes, threads);
    }

    public PopulationOptions threads(int count) {
        return new PopulationOptions(keyBytes, count);
    }
}
