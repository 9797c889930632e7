// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.JedisClients;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;

/** The commands of {@code data} through the pipeline that Jedis has for clusters. */
record JedisClusterPipeline(PipelinedData data) implements Work {

    private static final int SYNC_EVERY = 1_000;

    /** The default of Jedis, which starts these threads again in each sync() unless the caller has threads. */
    private static final int THREADS = 3;

    static JvmContender contender(PipelinedData data) {
        var description = new Description(
                "jedis",
                "",
                "RedisClusterClient.pipelined(executor) with " + THREADS
                        + " threads, sync() every 1,000 commands, every Response read, keys and values as bytes",
                "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        return new JvmContender(description, new JedisClusterPipeline(data));
    }

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Target target = context.target();
        var client = RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort(target.host(), target.port())))
                .clientConfig(JedisClients.config(target))
                .poolConfig(JedisClients.poolConfig(ConnectionPoolConfig.DEFAULT_MAX_TOTAL))
                .build();
        return new Ready(client, Executors.newFixedThreadPool(THREADS), data);
    }

    private record Ready(RedisClusterClient client, ExecutorService threads, PipelinedData data) implements ReadyWork {

        @Override
        public long run() {
            var walk = data.walk();
            List<Response<?>> responses = new ArrayList<>(SYNC_EVERY);
            long ok = 0;
            try (var pipeline = client.pipelined(threads)) {
                while (ok < data.operations()) {
                    long size = Math.min(SYNC_EVERY, data.operations() - ok);
                    for (long i = 0; i < size; i++) {
                        responses.add(walk.addTo(pipeline));
                    }
                    pipeline.sync();
                    responses.forEach(Response::get); // throws if the reply is an error, or is missing
                    ok += responses.size();
                    responses.clear();
                }
            }
            return ok;
        }

        @Override
        public void close() {
            threads.shutdown();
            client.close();
        }
    }
}
