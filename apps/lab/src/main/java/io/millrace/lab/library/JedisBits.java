// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.lab.run.Outcomes;
import java.util.ArrayList;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

/** Bits by Jedis' pipelines. */
record JedisBits(Jedis jedis) implements BitByBit {

    static final Source SOURCE = new Source(
            "jedis",
            "Jedis.pipelined(), sync() every " + BATCH + ", every Response read",
            endpoint -> new JedisBits(JedisLibrary.connect(endpoint)));

    @Override
    public Outcomes set(String key, byte[] bits, long count) {
        for (long from = 0; from < count; from += BATCH) {
            var replies = new ArrayList<Response<Boolean>>(BATCH);
            try (var pipeline = jedis.pipelined()) {
                for (long offset = from; offset < Math.min(from + BATCH, count); offset++) {
                    replies.add(pipeline.setbit(key, offset, BitByBit.isSet(bits, offset)));
                }
                pipeline.sync();
            }
            replies.forEach(reply -> reply.get());
        }
        return Outcomes.answered(count, 0);
    }

    @Override
    public long count(String key) {
        return jedis.bitcount(key);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
