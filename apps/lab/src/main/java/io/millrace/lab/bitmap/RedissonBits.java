// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.lab.client.RedissonClients;
import io.millrace.lab.client.Target;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

/** Redisson. */
record RedissonBits(RedissonClient client) implements BitClient {

    static final Library LIBRARY = new Library(
            "redisson",
            "https://redisson.pro/docs/data-and-services/objects/#bitset",
            Map.of(
                    Mode.CALLS, "RBitSet.set(index, value), a pool of one connection, never sends again",
                    Mode.PIPELINE,
                            "RBatch with RBitSet.setAsync(index, value), execute() every " + BATCH
                                    + " commands, a pool of one connection, never sends again",
                    Mode.PACKED, "the bits in a java.util.BitSet, RBitSet.set(BitSet)"),
            RedissonBits::open);

    private static BitClient open(Target target) throws IOException, GeneralSecurityException {
        return new RedissonBits(Redisson.create(RedissonClients.config(target.withConnections(1))));
    }

    @Override
    public void call(byte[] packed, long count) {
        var bits = client.getBitSet(RandomBits.KEY);
        for (long offset = 0; offset < count; offset++) {
            bits.set(offset, RandomBits.isSet(packed, offset));
        }
    }

    @Override
    public void pipeline(byte[] packed, long count) {
        for (long from = 0; from < count; from += BATCH) {
            var batch = client.createBatch();
            var bits = batch.getBitSet(RandomBits.KEY);
            for (long offset = from; offset < Math.min(from + BATCH, count); offset++) {
                var unused = bits.setAsync(offset, RandomBits.isSet(packed, offset));
            }
            batch.execute();
        }
    }

    /** Redisson stores a {@link BitSet} as Redis counts bits, so the bits go over one by one. */
    @Override
    public void store(RandomBits bits) {
        var packed = bits.packed();
        var set = new BitSet();
        for (int offset = 0; offset < bits.count(); offset++) {
            if (RandomBits.isSet(packed, offset)) {
                set.set(offset);
            }
        }
        client.getBitSet(RandomBits.KEY).set(set);
    }

    @Override
    public long count() {
        return client.getBitSet(RandomBits.KEY).cardinality();
    }

    @Override
    public void close() {
        client.shutdown(0, Target.LONG_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }
}
