// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/**
 * A layout that stores many small key-value pairs in a few Redis hashes, called buckets. The layout determines the
 * bucket and the field of each key. A hash that the server stores in its compact encoding needs only a fraction of the
 * memory that the same pairs need as strings. The writers and the readers of the pairs must use the same layout.
 * Immutable.
 *
 * <pre>
 *   byNumber("user:", 1000)             user:123456    ->  hash user:{123}:1000   field 456
 *   byHash("user:", 1000, 1_000_000)    user:ann@a.io  ->  hash user:{217}/1278   field ann@a.io
 * </pre>
 *
 * <p>The server stores the names of the buckets, so the format of these names never changes. Two different keys of a
 * layout never have the same bucket and the same field. The name of a bucket contains the settings of its layout. A
 * reader that uses other settings therefore finds no value. It does not find the value of another key. In Redis
 * Cluster, the number in braces is the hash tag of the bucket, unless the text before this number already contains a
 * hash tag.
 *
 * <p>A server uses the compact encoding only for hashes that exceed neither of two limits. The first limit is the
 * number of fields: {@code hash-max-listpack-entries}, or {@code hash-max-ziplist-entries} before Redis 7.0. The second
 * limit is the length of each field and of each value in bytes: {@code hash-max-listpack-value}. If a hash exceeds a
 * limit, it needs nearly as much memory as the same pairs need as strings.
 */
public sealed interface BucketLayout permits NumberedBuckets, HashedBuckets {

    /**
     * Largest value of {@code pairsPerBucket}: {@value}. A much smaller value is recommended, because the server
     * searches through the whole compact hash for each command.
     */
    int MAX_PAIRS_PER_BUCKET = 1_000_000;

    /** Smallest value of {@code pairsPerBucket} for {@link #byNumber}: {@value}. */
    int MIN_PAIRS_BY_NUMBER = 2;

    /** Smallest value of {@code pairsPerBucket} for {@link #byHash}: {@value}. */
    int MIN_PAIRS_BY_HASH = 16;

    /** Largest value of {@code pairs} for {@link #byHash}: {@value}. */
    long MAX_PAIRS = 1_000_000_000_000L;

    /**
     * Returns a layout for keys that begin with {@code prefix} and end in a decimal number of at most 18 digits without
     * leading zeros. Adjacent numbers share a bucket. A bucket never has more than {@code pairsPerBucket} pairs. The
     * buckets are well filled if the numbers have few gaps.
     *
     * @param prefix text that all keys begin with; may be empty
     * @param pairsPerBucket maximum number of pairs per bucket, {@link #MIN_PAIRS_BY_NUMBER} to
     *     {@link #MAX_PAIRS_PER_BUCKET}
     */
    static BucketLayout byNumber(String prefix, int pairsPerBucket) {
        return new NumberedBuckets(new KeyPrefix(prefix), pairsPerBucket);
    }

    /**
     * Returns a layout for any keys that begin with {@code prefix}. A hash function that never changes assigns each key
     * to a bucket. The number of buckets is large enough for {@code pairs} distinct keys: the probability that at least
     * one bucket gets more than {@code pairsPerBucket} pairs is below one in 1,000,000,000. This probability does not
     * hold for keys that were chosen on purpose to get the same bucket. If more than {@code pairs} pairs are stored,
     * buckets may get more than {@code pairsPerBucket} pairs; there is no other effect.
     *
     * <p>The buckets are not full. If {@code pairs} pairs are stored, the average number of pairs per bucket is a
     * fraction of {@code pairsPerBucket}: 46 % if {@code pairsPerBucket} is 128, 70 % if it is 512, and 78 % if it is
     * 1,000.
     *
     * @param prefix text that all keys begin with; not stored in the fields; may be empty
     * @param pairsPerBucket maximum number of pairs per bucket, {@link #MIN_PAIRS_BY_HASH} to {@link
     *     #MAX_PAIRS_PER_BUCKET}
     * @param pairs maximum number of pairs, 1 to {@link #MAX_PAIRS}; a different maximum gives a different layout
     */
    static BucketLayout byHash(String prefix, int pairsPerBucket, long pairs) {
        return HashedBuckets.of(new KeyPrefix(prefix), pairsPerBucket, pairs);
    }

    /**
     * Maximum number of pairs per bucket. With {@link #byHash}, a bucket exceeds this number only with a negligible
     * probability.
     */
    int pairsPerBucket();

    /**
     * Finds the bucket and the field of a key. The key consists of {@code length} bytes of the array {@code key}, from
     * {@code offset} on. Allocates no memory if the buffer of {@code location} is already large enough.
     *
     * @param location receives the bucket and the field; its old content is overwritten
     * @return empty if the layout accepts the key; otherwise the reason for the rejection, as a text that does not
     *     contain the key
     */
    Optional<String> locate(byte[] key, int offset, int length, BucketLocation location);

    /**
     * Pattern for {@code SCAN} that matches the names of all buckets. The pattern may also match other keys;
     * {@link #isBucketName} excludes the other keys.
     */
    String pattern();

    /** Whether {@code name} has the form of a bucket name of this layout. */
    boolean isBucketName(String name);
}
