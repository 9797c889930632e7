// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.StringData;
import java.util.Optional;
import redis.clients.jedis.Jedis;

/**
 * Jedis with a pipeline that is synchronised every thousand commands. It is given the same two reused arrays as the
 * others, which spares it garbage: Jedis encodes a command before {@code set} returns.
 */
public final class JedisPipeline implements WarmContender {

    private static final int SYNC_EVERY = 1_000;

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String note() {
        return "Pipeline, sync() every 1,000; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var jedis = new Jedis(task.host(), task.port(), 60_000);
        jedis.ping();
        return new PipelineRounds(jedis, task.operations());
    }

    private record PipelineRounds(Jedis jedis, long operations) implements Rounds {

        @Override
        public Optional<Outcomes> run() {
            var pairs = new StringData.Cursor("");
            try (var pipeline = jedis.pipelined()) {
                for (long n = 1; n <= operations; n++) {
                    pipeline.set(pairs.key(), pairs.value());
                    pairs.next();
                    if (n % SYNC_EVERY == 0) {
                        pipeline.sync();
                    }
                }
                pipeline.sync();
            }
            return Optional.empty();
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
