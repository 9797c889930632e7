// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import io.millrace.lab.server.Keyspace;

/** How pairs are stored. */
enum PairLayout {
    STRINGS("strings", "One string for each pair", 0, false),
    PACKED_128("packed-128", "Hashes of 128 pairs", 128, false),
    PACKED_1000("packed-1000", "Hashes of 1,000 pairs", 1_000, false),
    PACKED_1000_RAISED("packed-1000-limit-raised", "Hashes of 1,000 pairs, limit raised", 1_000, true);

    final String scenario;
    final String title;

    /** Pairs in one hash; 0 for strings. */
    final int pairsPerHash;

    /** Whether the limit of compact hashes of the server is raised to {@link #pairsPerHash} during a round. */
    final boolean raisesLimit;

    PairLayout(String scenario, String title, int pairsPerHash, boolean raisesLimit) {
        this.scenario = scenario;
        this.title = title;
        this.pairsPerHash = pairsPerHash;
        this.raisesLimit = raisesLimit;
    }

    boolean isPacked() {
        return pairsPerHash > 0;
    }

    /** The hash of the pair {@code id}, as {@code BucketLayout.byNumber} names hashes. */
    String hash(long id) {
        return Keyspace.PREFIX + "{" + id / pairsPerHash + "}:" + pairsPerHash;
    }

    String field(long id) {
        return Long.toString(id % pairsPerHash);
    }

    /** Number of keys that {@code pairs} pairs have. */
    long keys(long pairs) {
        return isPacked() ? (pairs + pairsPerHash - 1) / pairsPerHash : pairs;
    }
}
