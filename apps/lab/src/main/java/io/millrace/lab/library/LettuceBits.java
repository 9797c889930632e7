// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisFuture;
import io.millrace.lab.run.Outcomes;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/** Bits by Lettuce's futures, whose commands are flushed by hand. */
record LettuceBits(LettuceLibrary.Opened opened) implements BitByBit {

    static final Source SOURCE = new Source(
            "lettuce",
            "async(), setAutoFlushCommands(false), flushCommands() every " + BATCH + ", all futures read; "
                    + NativeTransport.word(),
            LettuceBits::open);

    private static BitByBit open(Endpoint endpoint) {
        var opened = LettuceLibrary.Opened.at(endpoint, Endpoint.REPLY_TIMEOUT, ClientOptions.create());
        opened.connection().setAutoFlushCommands(false);
        return new LettuceBits(opened);
    }

    @Override
    public Outcomes set(String key, byte[] bits, long count) throws Exception {
        var async = opened.connection().async();
        for (long from = 0; from < count; from += BATCH) {
            var replies = new ArrayList<RedisFuture<Long>>(BATCH);
            for (long offset = from; offset < Math.min(from + BATCH, count); offset++) {
                replies.add(async.setbit(key, offset, BitByBit.isSet(bits, offset) ? 1 : 0));
            }
            opened.connection().flushCommands();
            for (var reply : replies) {
                read(reply);
            }
        }
        return Outcomes.answered(count, 0);
    }

    @Override
    public long count(String key) throws Exception {
        var reply = opened.connection().async().bitcount(key);
        opened.connection().flushCommands();
        return read(reply);
    }

    private static long read(RedisFuture<Long> reply) throws Exception {
        return reply.get(Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        opened.close();
    }
}
