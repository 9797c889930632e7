// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/**
 * How many small pairs of a key and a value are packed into few hashes, which take a fraction of the memory of as many strings: the
 * one definition of where a pair lies, for those that write pairs and those that read them. Immutable.
 *
 * <pre>
 *   numbered("user:", 1000)             user:123456    ->  hash user:{123}:1000   field 456
 *   hashed("user:", 1000, 1_000_000)    user:ann@a.io  ->  hash user:{217}/1278   field ann@a.io
 * </pre>
 *
 * <p>Places are part of what is stored, so this definition never changes. No two keys have the same place. The name of a hash says how
 * the pairs were divided: who asks with other settings finds nothing, rather than the value of another key. The braces make the number
 * in them the hash tag of a cluster, unless the key has one of its own.
 *
 * <p>A server keeps a hash compact up to {@code hash-max-listpack-entries} fields ({@code hash-max-ziplist-entries} before 7.0) and as
 * long as no field or value is longer than {@code hash-max-listpack-value} bytes. A hash above either takes most of the memory of
 * strings.
 */
public sealed interface Packing permits NumberedPacking, HashedPacking {

    /**
     * Pairs whose keys begin with {@code prefix} and end in a decimal number without leading zeros, of 18 digits at most: neighbours
     * share a hash, which never has more than {@code perHash} of them. Packs densely where the numbers are dense.
     *
     * @param prefix what the keys have in common; may be empty
     * @param perHash 2 to 1,000,000
     */
    static Packing numbered(String prefix, int perHash) {
        return new NumberedPacking(new KeyPrefix(prefix), perHash);
    }

    /**
     * Pairs of any keys that begin with {@code prefix}, spread by a stable hash function. So many hashes are used that, of {@code pairs}
     * different keys that nobody has chosen for the purpose, the chance is less than one in 1,000,000,000 that any hash gets more
     * than {@code perHash}; with more keys hashes outgrow it, and nothing else goes wrong. On average a hash is filled to 46 % of
     * 128, 70 % of 512 and 78 % of 1,000.
     *
     * @param prefix what the keys have in common, which is not kept for each of them; may be empty
     * @param perHash 16 to 1,000,000
     * @param pairs how many there will be at most, 1 to 1,000,000,000,000; another number is another packing
     */
    static Packing hashed(String prefix, int perHash, long pairs) {
        return HashedPacking.of(new KeyPrefix(prefix), perHash, pairs);
    }

    /** How many pairs a hash has at most; by hashing, at most but for a negligible chance. */
    int perHash();

    /**
     * Finds the place of the pair whose key is {@code length} bytes from {@code offset}. Allocates nothing once {@code place} has grown.
     *
     * @param place takes the place; what was in it is overwritten
     * @return empty if it was found; otherwise why this packing has no place for such a key, without the key
     */
    Optional<String> locate(byte[] key, int offset, int length, PairPlace place);

    /**
     * A pattern for {@code SCAN} that matches the names of the hashes. It may match names of other keys, which {@link #isHash} tells
     * apart.
     */
    String pattern();

    /** Whether {@code name} can be that of a hash of this packing. */
    boolean isHash(String name);
}
