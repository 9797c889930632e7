// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@link Packing#hashed}: the prefix and a rest lie in the hash <code>prefix{hash(rest) % hashes}/hashes</code>, in the field {@code rest}.
 *
 * @param hashes over how many the pairs are spread
 */
record HashedPacking(KeyPrefix prefix, int perHash, long hashes) implements Packing {

    private static final int LEAST_PER_HASH = 16;
    private static final long MOST_PAIRS = 1_000_000_000_000L;

    /** More than the most pairs need where the fewest share a hash. */
    private static final long MOST_HASHES = 1L << 43;

    /** The chance that any hash gets too many, as a logarithm. */
    private static final double MOST_CHANCE = StrictMath.log(1e-9);

    static HashedPacking of(KeyPrefix prefix, int perHash, long pairs) {
        Ranges.check("pairs per hash", perHash, LEAST_PER_HASH, NumberedPacking.MOST_PER_HASH);
        Ranges.check("pairs", pairs, 1L, MOST_PAIRS);
        return new HashedPacking(prefix, perHash, hashesFor(perHash, pairs));
    }

    /**
     * The fewest hashes of which, by Chernoff's bound, none gets more than {@code perHash} of {@code pairs}, but for {@link #MOST_CHANCE}.
     * By {@code StrictMath}, because every machine and every release must come to the same number.
     */
    static long hashesFor(int perHash, long pairs) {
        if (pairs <= perHash) {
            return 1;
        }
        long tooFew = pairs / perHash;
        long enough = MOST_HASHES;
        while (enough - tooFew > 1) {
            long middle = (tooFew + enough) >>> 1;
            double chance = logOfChance(perHash + 1.0, (double) pairs / middle) + StrictMath.log((double) middle);
            if (chance <= MOST_CHANCE) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return enough;
    }

    /** A bound of the chance that a hash which gets {@code mean} pairs on average gets {@code count} or more. */
    private static double logOfChance(double count, double mean) {
        return count <= mean ? 0 : count - mean - count * StrictMath.log(count / mean);
    }

    @Override
    public Optional<String> locate(byte[] key, int offset, int length, PairPlace place) {
        if (!prefix.begins(key, offset, length)) {
            return KeyPrefix.MISSING;
        }
        int rest = offset + prefix.length();
        int end = offset + length;
        place.begin()
                .append(prefix.bytes(), 0, prefix.length())
                .append('{')
                .append(Long.remainderUnsigned(hash(key, rest, end), hashes))
                .append('}')
                .append('/')
                .append(hashes)
                .endHash()
                .append(key, rest, end - rest);
        return Optional.empty();
    }

    /** FNV-1a of 64 bits, then the finalizer of MurmurHash3, without which the last bytes of a key would stir too few bits. */
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
        return prefix.pattern() + "{*}/" + hashes;
    }

    @Override
    public boolean isHash(String name) {
        return Pattern.matches(prefix.regex() + "\\{(0|[1-9][0-9]*)}/" + hashes, name);
    }
}
