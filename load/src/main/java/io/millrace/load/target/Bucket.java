// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.Packing;
import io.millrace.load.PlanException;
import java.util.OptionalLong;

/**
 * How pairs are packed into hashes instead of becoming strings of their own; {@link Packing} says where each lies. The prefix of the
 * packing is what stands before the first column in the key's template.
 *
 * @param size pairs in a hash, 2 to 1,000,000; 16 and up with {@code pairs}
 * @param pairs how many pairs there will be at most, 1 to 10^12, for keys that do not end in a number; empty for keys that do
 * @param aboveLimit whether a {@code size} is accepted that is above what the server keeps in compact form
 */
public record Bucket(int size, OptionalLong pairs, boolean aboveLimit) {

    /** Buckets for keys that end in a number. */
    public static Bucket of(int size) {
        return new Bucket(size, OptionalLong.empty(), false);
    }

    /** These buckets for {@code count} pairs of any keys. */
    public Bucket withPairs(long count) {
        return new Bucket(size, OptionalLong.of(count), aboveLimit);
    }

    /** These buckets, whatever the server keeps in compact form. */
    public Bucket withAboveLimit() {
        return new Bucket(size, pairs, true);
    }

    /**
     * Where the pairs of keys lie that begin with {@code prefix}.
     *
     * @throws PlanException if a number is out of range
     */
    public Packing packing(String prefix) {
        try {
            return pairs.isPresent() ? Packing.hashed(prefix, size, pairs.getAsLong()) : Packing.numbered(prefix, size);
        } catch (IllegalArgumentException outOfRange) {
            throw new PlanException(
                    "bucket is out of range: " + outOfRange.getMessage() + ". Choose a number in between.");
        }
    }
}
