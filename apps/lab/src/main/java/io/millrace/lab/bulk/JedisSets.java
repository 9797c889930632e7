// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import redis.clients.jedis.Jedis;

/** The pairs of {@link StringData} through a pipeline of Jedis. */
record JedisSets(long sets) implements Work {

    private static final int SYNC_EVERY = 1_000;

    static JvmContender contender(long sets) {
        var description = new Description(
                "jedis",
                "",
                "Pipeline, sync() every 1,000 commands, keys and values as bytes",
                "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        return new JvmContender(description, new JedisSets(sets), List.of(), Connections::missingForJedis);
    }

    @Override
    public ReadyWork open(WorkContext context) {
        var jedis = Connections.jedis(context.target());
        jedis.connect();
        return new Ready(jedis, sets);
    }

    private record Ready(Jedis jedis, long sets) implements ReadyWork {

        @Override
        public long run() {
            var pairs = new StringData.Cursor();
            try (var pipeline = jedis.pipelined()) {
                for (long n = 1; n <= sets; n++) {
                    pipeline.set(pairs.key, pairs.value);
                    pairs.next();
                    if (n % SYNC_EVERY == 0) {
                        pipeline.sync();
                    }
                }
                pipeline.sync();
            }
            return sets;
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
