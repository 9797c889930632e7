// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * Where the loading thread's time goes, measured on every 64th row: looking at the clock for each would itself be what is
 * measured. The rows between are taken to be alike. Belongs to the loading thread.
 */
final class SampledTime {

    private static final int EVERY = 64;

    private long row;
    private long since;
    private long sourceNanos;
    private long mappingNanos;

    /** A row is about to be read. */
    void start() {
        if (row++ % EVERY == 0) {
            since = System.nanoTime();
        }
    }

    /** The row has been read. */
    void read() {
        if (row % EVERY == 1) {
            long now = System.nanoTime();
            sourceNanos += now - since;
            since = now;
        }
    }

    /** The row has been made a command. */
    void mapped() {
        if (row % EVERY == 1) {
            mappingNanos += System.nanoTime() - since;
        }
    }

    double sourceSeconds() {
        return sourceNanos * (double) EVERY / 1e9;
    }

    double mappingSeconds() {
        return mappingNanos * (double) EVERY / 1e9;
    }
}
