// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.BucketLayout;
import java.util.OptionalLong;

/**
 * Options for packing strings into buckets: hashes that hold many key-value pairs each. {@link BucketLayout} defines
 * the hash and the field of each pair. The prefix of the layout is the text before the first column in the template of
 * the key.
 *
 * @param size maximum number of pairs per bucket; its range is the range of {@code pairsPerBucket} in
 *     {@link BucketLayout#byHash} if {@code pairs} is present, and otherwise in {@link BucketLayout#byNumber}
 * @param pairs maximum number of pairs, 1 to {@link BucketLayout#MAX_PAIRS}, for keys that do not end in a number;
 *     empty for keys that end in a number
 * @param aboveLimit whether {@code size} may be above the limit of the server for hashes in compact form
 */
public record BucketOptions(int size, OptionalLong pairs, boolean aboveLimit) {

    /** Buckets of this size for keys that end in a number. */
    public static BucketOptions of(int size) {
        return new BucketOptions(size, OptionalLong.empty(), false);
    }

    /** These options for keys of any form, with at most {@code count} pairs. */
    public BucketOptions withPairs(long count) {
        return new BucketOptions(size, OptionalLong.of(count), aboveLimit);
    }

    /** These options, which also allow a size above the limit of the server. */
    public BucketOptions withAboveLimit() {
        return new BucketOptions(size, pairs, true);
    }

    /**
     * The layout for keys that begin with {@code prefix}.
     *
     * @throws PlanException if a number is out of range
     */
    public BucketLayout layout(String prefix) {
        try {
            return pairs.isPresent()
                    ? BucketLayout.byHash(prefix, size, pairs.getAsLong())
                    : BucketLayout.byNumber(prefix, size);
        } catch (IllegalArgumentException outOfRange) {
            throw new PlanException("bucket cannot be used: " + outOfRange.getMessage());
        }
    }
}
