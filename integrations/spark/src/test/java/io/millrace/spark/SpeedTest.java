// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.Loader;
import io.millrace.load.source.Column;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.HashTarget;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ClusterPipeline;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

/**
 * Compares the speed of a write into a cluster of three primaries with a program that uses pipelines of Jedis, and with a load
 * from memory. The comparison is unfair to the connector: the program with Jedis checks no reply. The bounds need an idle
 * machine. Run it with {@code ./mvnw -pl integrations/spark -am test -Dtest=SpeedTest -DexcludedTestGroups= -DtestJvmOptions=
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("soak")
class SpeedTest {

    private static final long ROWS = Long.getLong("millrace.sparkSpeedRows", 1_000_000);
    private static final int WARM_UPS = 2;
    private static final int ROUNDS = 5;
    private static final int PIPELINE = 1_000;
    private static final int TASKS = 2;

    private static final double LIMIT_TO_JEDIS = 0.7;
    private static final double LIMIT_TO_LOAD = 1.2;

    private EmbeddedCluster cluster;
    private RedisClient client;

    @BeforeEach
    void start() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults().withConfig("save \"\""), 3, 0);
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void writeIsFasterThanPipelinesOfJedisAndAboutAsFastAsALoad() {
        double[] spark = new double[ROUNDS];
        double[] jedis = new double[ROUNDS];
        double[] load = new double[ROUNDS];

        for (int round = -WARM_UPS; round < ROUNDS; round++) {
            int sample = Math.max(0, round);
            spark[sample] = seconds(this::writeWithSpark);
            jedis[sample] = seconds(this::writeWithJedis);
            load[sample] = seconds(this::load);
        }

        double toJedis = median(spark) / median(jedis);
        double toLoad = median(spark) / median(load);
        System.out.printf(
                Locale.ROOT,
                "SpeedTest: %d rows, medians of %d: millrace-spark %.2f s, Jedis %.2f s, load %.2f s; %.2f of Jedis, %.2f of the load%n",
                ROWS,
                ROUNDS,
                median(spark),
                median(jedis),
                median(load),
                toJedis,
                toLoad);
        assertThat(toJedis).isLessThanOrEqualTo(LIMIT_TO_JEDIS);
        assertThat(toLoad).isLessThanOrEqualTo(LIMIT_TO_LOAD);
    }

    /** The time of {@code write} into an empty cluster. */
    private double seconds(Runnable write) {
        var unused = client.call(Server.flushAll());
        long start = System.nanoTime();
        write.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(client.call(Server.size())).isEqualTo(ROWS);
        return seconds;
    }

    private static double median(double[] samples) {
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static Dataset<Row> rows() {
        return TestSpark.people(ROWS, TASKS);
    }

    private void writeWithSpark() {
        TestSpark.write(rows(), "uri", cluster.uri(), "key", "user:{id}", "as", "hash")
                .save();
    }

    private void writeWithJedis() {
        EmbeddedRedis node = cluster.nodes().getFirst();
        String host = node.host();
        int port = node.port();
        rows().foreachPartition((ForeachPartitionFunction<Row>) rows -> writePartition(rows, host, port));
    }

    private static void writePartition(Iterator<Row> rows, String host, int port) {
        try (RedisClusterClient jedis = RedisClusterClient.create(new HostAndPort(host, port));
                ClusterPipeline pipeline = jedis.pipelined()) {
            int waiting = 0;
            String[] names = {"id", "name", "city", "score", "active"};
            while (rows.hasNext()) {
                Row row = rows.next();
                Map<String, String> fields = new HashMap<>();
                for (int i = 0; i < names.length; i++) {
                    fields.put(names[i], String.valueOf(row.get(i)));
                }
                var unused = pipeline.hset("user:" + row.getLong(0), fields);
                if (++waiting == PIPELINE) {
                    pipeline.sync();
                    waiting = 0;
                }
            }
            pipeline.sync();
        }
    }

    /** A load with as many connections as the tasks have together. */
    private void load() {
        var unused = new Loader(client)
                .run(
                        new LoadPlan(
                                new PartitionSource("memory", true, People::new),
                                HashTarget.of("user:{id}"),
                                LoadOptions.builder().connections(TASKS).build()),
                        event -> {});
    }

    /** The same rows as {@link TestSpark#people}, without Spark. */
    private static final class People implements RowReader {

        private long next;

        @Override
        public List<Column> columns() {
            return List.of(
                    new Column("id"),
                    new Column("name"),
                    new Column("city"),
                    new Column("score"),
                    new Column("active"));
        }

        @Override
        public boolean next(io.millrace.load.source.Row row) {
            if (next == ROWS) {
                row.clear(0, 0);
                return false;
            }
            long id = next++;
            row.clear(next, 0);
            row.add(id);
            row.add(io.millrace.load.source.Row.Kind.TEXT, "name " + id);
            row.add(io.millrace.load.source.Row.Kind.TEXT, "city " + id % 100);
            row.add(io.millrace.load.source.Row.Kind.NUMBER, String.valueOf(id / 4.0));
            row.add(id % 2 == 0);
            return true;
        }

        @Override
        public void cancel() {}

        @Override
        public void close() {}
    }
}
