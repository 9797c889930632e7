// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/**
 * The pairs of {@link StringData} through a pipeline of Jedis.
 *
 * @param pairsPerCommand 1 for {@code SET}, more for {@code MSET}
 */
record JedisSets(long sets, int pairsPerCommand) implements Work {

    private static final int SYNC_EVERY = 1_000;

    static JvmContender sets(long sets) {
        return contender("", "Pipeline, sync() every 1,000 commands, keys and values as bytes", new JedisSets(sets, 1));
    }

    /** With as many pairs in one command as Millrace fuses. */
    static JvmContender msets(long sets) {
        int pairs = RedisTools.PAIRS_PER_MSET;
        return contender(
                "mset-" + pairs,
                "Pipeline, mset() of " + pairs + " pairs, sync() every 1,000 commands, keys and values as bytes",
                new JedisSets(sets, pairs));
    }

    private static JvmContender contender(String mode, String note, JedisSets work) {
        var description =
                new Description("jedis", mode, note, "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        return new JvmContender(description, work, List.of(), Connections::missingForJedis);
    }

    @Override
    public ReadyWork open(WorkContext context) {
        var jedis = Connections.jedis(context.target());
        jedis.connect();
        return new Ready(jedis, this);
    }

    private static final class Ready implements ReadyWork {

        private final Jedis jedis;
        private final JedisSets work;
        private FusedCalls fused = FusedCalls.NONE;

        Ready(Jedis jedis, JedisSets work) {
            this.jedis = jedis;
            this.work = work;
        }

        @Override
        public void prepare() {
            fused = FusedCalls.NONE;
        }

        @Override
        public long run() {
            var pairs = new StringData.Cursor();
            try (var pipeline = jedis.pipelined()) {
                long commands = 0;
                for (long from = 0; from < work.sets; from += work.pairsPerCommand) {
                    add(pipeline, pairs, (int) Math.min(work.pairsPerCommand, work.sets - from));
                    if (++commands % SYNC_EVERY == 0) {
                        pipeline.sync();
                    }
                }
                pipeline.sync();
                if (work.pairsPerCommand > 1) {
                    fused = fused.plus(new FusedCalls(work.sets, commands));
                }
            }
            return work.sets;
        }

        private void add(Pipeline pipeline, StringData.Cursor pairs, int number) {
            if (work.pairsPerCommand == 1) {
                pipeline.set(pairs.key, pairs.value);
                pairs.next();
                return;
            }
            byte[][] arguments = new byte[2 * number][];
            for (int i = 0; i < arguments.length; i += 2) {
                arguments[i] = pairs.key.clone();
                arguments[i + 1] = pairs.value.clone();
                pairs.next();
            }
            pipeline.mset(arguments);
        }

        @Override
        public RoundDetails details() {
            return fused.addTo(RoundDetails.NONE);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
