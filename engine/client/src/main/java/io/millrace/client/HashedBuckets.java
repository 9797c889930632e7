// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.range.Ranges;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Implements {@link BucketLayout#byHash}. A key consists of the prefix and the remaining bytes, called the rest. Its
 * bucket is <code>prefix{hash(rest) % buckets}/buckets</code>, and its field is {@code rest}.
 *
 * @param buckets number of buckets
 */
record HashedBuckets(KeyPrefix prefix, int pairsPerBucket, long buckets) implements BucketLayout {

    /**
     * Upper limit of the search for the number of buckets. Even {@link #MAX_PAIRS} pairs with at most
     * {@link #MIN_PAIRS_BY_HASH} pairs per bucket need fewer buckets.
     */
    private static final long MAX_BUCKETS = 1L << 43;

    /** Natural logarithm of the highest accepted probability that at least one bucket gets too many pairs. */
    private static final double MAX_LOG_PROBABILITY = StrictMath.log(1e-9);

    static HashedBuckets of(KeyPrefix prefix, int pairsPerBucket, long pairs) {
        Ranges.check("pairsPerBucket", pairsPerBucket, MIN_PAIRS_BY_HASH, MAX_PAIRS_PER_BUCKET);
        Ranges.check("pairs", pairs, 1L, MAX_PAIRS);
        return new HashedBuckets(prefix, pairsPerBucket, bucketsFor(pairsPerBucket, pairs));
    }

    /**
     * Returns the number of buckets for {@code pairs} pairs. A bucket is overfull if it gets more than
     * {@code pairsPerBucket} pairs. The natural logarithm of the probability that at least one bucket is overfull must
     * be at most {@link #MAX_LOG_PROBABILITY}. The result is the smallest number of buckets for which Chernoff's bound
     * proves this. The method uses {@code StrictMath}, because every machine and every release must compute the same
     * number.
     */
    static long bucketsFor(int pairsPerBucket, long pairs) {
        if (pairs <= pairsPerBucket) {
            return 1;
        }
        long tooFew = pairs / pairsPerBucket;
        long enough = MAX_BUCKETS;
        while (enough - tooFew > 1) {
            long middle = (tooFew + enough) >>> 1;
            double mean = (double) pairs / middle;
            double logProbability = logProbabilityBound(pairsPerBucket + 1.0, mean) + StrictMath.log((double) middle);
            if (logProbability <= MAX_LOG_PROBABILITY) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return enough;
    }

    /**
     * Returns Chernoff's bound for one bucket. If the buckets get {@code mean} pairs on average, the probability that a
     * certain bucket gets {@code count} or more pairs is not above this bound. The bound is returned as a natural
     * logarithm.
     */
    private static double logProbabilityBound(double count, double mean) {
        return count <= mean ? 0 : count - mean - count * StrictMath.log(count / mean);
    }

    @Override
    public Optional<String> locate(byte[] key, int offset, int length, BucketLocation location) {
        if (!prefix.isPrefixOf(key, offset, length)) {
            return KeyPrefix.WRONG_PREFIX;
        }
        int rest = offset + prefix.length();
        int end = offset + length;
        location.begin()
                .append(prefix.bytes(), 0, prefix.length())
                .append('{')
                .append(Long.remainderUnsigned(hash(key, rest, end), buckets))
                .append('}')
                .append('/')
                .append(buckets)
                .endBucket()
                .append(key, rest, end - rest);
        return Optional.empty();
    }

    /**
     * Returns the 64-bit FNV-1a hash, mixed by the finalizer of MurmurHash3. Without the finalizer, the last bytes of a
     * key would change too few bits of the hash.
     */
    static long hash(byte[] bytes, int begin, int end) {
        long hash = 0xcbf29ce484222325L;
        for (int i = begin; i < end; i++) {
            hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }

    @Override
    public String pattern() {
        return prefix.pattern() + "{*}/" + buckets;
    }

    @Override
    public boolean isBucketName(String name) {
        return Pattern.matches(prefix.regex() + "\\{(0|[1-9][0-9]*)}/" + buckets, name);
    }
}
