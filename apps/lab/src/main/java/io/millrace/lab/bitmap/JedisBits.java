// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.lab.bulk.Connections;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

/** Jedis. */
record JedisBits(Jedis jedis) implements BitClient {

    static final Library LIBRARY = new Library(
            "jedis",
            "https://redis.io/docs/latest/develop/clients/jedis/transpipe/",
            Map.of(
                    Mode.CALLS, "setbit()",
                    Mode.PIPELINE, "pipelined(), setbit(), sync() every " + BATCH + " commands, every Response read",
                    Mode.PACKED, "the bits packed into a byte array, set()"),
            target -> new JedisBits(Connections.jedis(target)));

    @Override
    public void call(byte[] packed, long count) {
        for (long offset = 0; offset < count; offset++) {
            jedis.setbit(RandomBits.KEY, offset, RandomBits.isSet(packed, offset));
        }
    }

    @Override
    public void pipeline(byte[] packed, long count) {
        for (long from = 0; from < count; from += BATCH) {
            var replies = new ArrayList<Response<Boolean>>(BATCH);
            try (var pipeline = jedis.pipelined()) {
                for (long offset = from; offset < Math.min(from + BATCH, count); offset++) {
                    replies.add(pipeline.setbit(RandomBits.KEY, offset, RandomBits.isSet(packed, offset)));
                }
                pipeline.sync();
            }
            replies.forEach(reply -> reply.get());
        }
    }

    @Override
    public void store(RandomBits bits) {
        jedis.set(RandomBits.KEY.getBytes(StandardCharsets.UTF_8), bits.packed());
    }

    @Override
    public long count() {
        return jedis.bitcount(RandomBits.KEY);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
