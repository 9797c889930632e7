// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/**
 * Layout that stores many small key-value pairs in a few hashes, called buckets. A compact hash needs only a fraction
 * of the memory that the same pairs need as strings. Writers and readers of the pairs use the same layout. Immutable.
 *
 * <pre>
 *   numbered("user:", 1000)             user:123456    ->  hash user:{123}:1000   field 456
 *   hashed("user:", 1000, 1_000_000)    user:ann@a.io  ->  hash user:{217}/1278   field ann@a.io
 * </pre>
 *
 * <p>The bucket names are stored on the server, so this format never changes. Two different keys never have the same
 * bucket and the same field. The name of a bucket contains the settings of its layout: a reader with other settings
 * finds nothing, and never the value of another key. In Redis Cluster, the number in braces is the hash tag, unless the
 * key contains an earlier hash tag.
 *
 * <p>A server keeps a hash compact up to {@code hash-max-listpack-entries} fields ({@code hash-max-ziplist-entries}
 * before 7.0), while no field or value is longer than {@code hash-max-listpack-value} bytes. A hash above either limit
 * needs nearly as much memory as strings.
 */
public sealed interface BucketLayout permits NumberedBuckets, HashedBuckets {

    /**
     * Returns a layout for keys that begin with {@code prefix} and end in a decimal number of at most 18 digits without
     * leading zeros. Adjacent numbers share a bucket. A bucket never has more than {@code perHash} pairs. Numbers with
     * few gaps fill the buckets well.
     *
     * @param prefix text that all keys begin with; may be empty
     * @param perHash maximum number of pairs per bucket, 2 to 1,000,000
     */
    static BucketLayout byNumber(String prefix, int perHash) {
        return new NumberedBuckets(new KeyPrefix(prefix), perHash);
    }

    /**
     * Returns a layout for any keys that begin with {@code prefix}, distributed by a stable hash function. The number
     * of buckets is chosen so that, with {@code pairs} distinct keys, the probability that any bucket gets more than
     * {@code perHash} pairs is below one in 1,000,000,000. This assumes keys that were not chosen to collide. With more
     * pairs than {@code pairs}, buckets exceed {@code perHash} pairs; there is no other effect. The average fill is
     * 46 % for a {@code perHash} of 128, 70 % for 512 and 78 % for 1,000.
     *
     * @param prefix text that all keys begin with; not stored in the fields; may be empty
     * @param perHash maximum number of pairs per bucket, 16 to 1,000,000
     * @param pairs maximum number of pairs, 1 to 1,000,000,000,000; a different maximum gives a different layout
     */
    static BucketLayout byHash(String prefix, int perHash, long pairs) {
        return HashedBuckets.of(new KeyPrefix(prefix), perHash, pairs);
    }

    /**
     * Maximum number of pairs per bucket. With {@link #byHash}, a bucket exceeds this number only with a negligible
     * probability.
     */
    int pairsPerBucket();

    /**
     * Finds the bucket and field of a key. The key is the {@code length} bytes from {@code offset}. Does not allocate
     * once the buffer of {@code place} is large enough.
     *
     * @param place receives the bucket and the field; its old content is overwritten
     * @return empty on success; otherwise the reason why this layout does not accept the key; the reason does not
     *     contain the key
     */
    Optional<String> locate(byte[] key, int offset, int length, BucketLocation place);

    /**
     * Pattern for {@code SCAN} that matches the names of all buckets. The pattern may also match other keys;
     * {@link #isBucketName} excludes the other keys.
     */
    String pattern();

    /** Whether {@code name} can be the name of a bucket of this layout. */
    boolean isBucketName(String name);
}
