// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.millrace.lab.client.LettuceClients;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** The commands of {@code data} by Lettuce, which sends when it is told to. */
record LettuceClusterPipeline(PipelinedData data) implements Work {

    /** The most that the documentation recommends. */
    private static final int FLUSH_EVERY = 1_000;

    private static final Duration SHUTDOWN = Duration.ofMinutes(1);

    static JvmContender contender(PipelinedData data) {
        var description = new Description(
                "lettuce",
                "",
                "setAutoFlushCommands(false), flushCommands() every 1,000 commands, then a wait for their futures, keys and"
                        + " values as bytes",
                "https://redis.github.io/lettuce/advanced-usage/pipelining");
        return new JvmContender(description, new LettuceClusterPipeline(data));
    }

    @Override
    public ReadyWork open(WorkContext context) {
        var client = RedisClusterClient.create(LettuceClients.uri(context.target()));
        try {
            client.setOptions((ClusterClientOptions)
                    LettuceClients.options(context.target(), ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE));
            var connection = client.connect(ByteArrayCodec.INSTANCE);
            LettuceClients.connectNodes(connection, key -> key.getBytes(StandardCharsets.US_ASCII));
            connection.setAutoFlushCommands(false);
            return new Ready(client, connection, data);
        } catch (RuntimeException e) {
            client.shutdown(Duration.ZERO, SHUTDOWN);
            throw e;
        }
    }

    private record Ready(
            RedisClusterClient client, StatefulRedisClusterConnection<byte[], byte[]> connection, PipelinedData data)
            implements ReadyWork {

        @Override
        public long run() throws ExecutionException, InterruptedException {
            var walk = data.walk();
            var async = connection.async();
            List<RedisFuture<?>> futures = new ArrayList<>(FLUSH_EVERY);
            long ok = 0;
            while (ok < data.operations()) {
                long size = Math.min(FLUSH_EVERY, data.operations() - ok);
                for (long i = 0; i < size; i++) {
                    futures.add(walk.send(async));
                }
                connection.flushCommands();
                for (var future : futures) {
                    future.get(); // throws if the reply is an error
                }
                ok += futures.size();
                futures.clear();
            }
            return ok;
        }

        @Override
        public void close() {
            connection.close();
            client.shutdown(Duration.ZERO, SHUTDOWN);
        }
    }
}
