// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/** How pairs are kept. */
enum Layout {
    STRINGS("strings", 0, false),
    PACKED_128("packed-128", 128, false),
    PACKED_1000("packed-1000", 1_000, false),
    PACKED_1000_RAISED("packed-1000-limit-raised", 1_000, true);

    private final String word;
    private final int pairsPerBucket;
    private final boolean raisesLimit;

    Layout(String word, int pairsPerBucket, boolean raisesLimit) {
        this.word = word;
        this.pairsPerBucket = pairsPerBucket;
        this.raisesLimit = raisesLimit;
    }

    String word() {
        return word;
    }

    boolean isPacked() {
        return pairsPerBucket > 0;
    }

    /** Pairs in a bucket, if they are packed. */
    int pairsPerBucket() {
        return pairsPerBucket;
    }

    /** Whether the server's limit of compact hashes is raised to the pairs in a bucket meanwhile. */
    boolean raisesLimit() {
        return raisesLimit;
    }
}
