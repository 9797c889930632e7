// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues whose keys have slots of different nodes of a cluster. */
class QueueOnClusterTest {

    private static EmbeddedCluster cluster;

    private RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
        client.call(Server.flushAll());
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"feeds", "a", "b", "c", "shop:{mails}:new"})
    void jobsOfAListAreDoneRepeatedAndBuried(String key) throws Exception {
        JobQueue<String> queue = JobQueue.of(client, key, Codec.text());
        queue.pushAll(payloads(300));
        queue.push("late", JobOptions.after(Duration.ofMillis(50)));
        queue.push("bad");
        List<String> done = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(4, job -> {
                    if (job.payload().equals("bad")) {
                        throw new IllegalStateException("always");
                    }
                    done.add(job.payload());
                })
                .maxAttempts(2));

        assertThat(done).hasSize(301).contains("t0", "t299", "late");
        assertThat(stats.succeeded()).isEqualTo(301);
        assertThat(queue.status().dead()).isEqualTo(1);
        assertThat(queue.status().succeeded()).isEqualTo(301);
        queue.delete();
        assertThat(client.call(Server.size())).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"feeds", "a", "b", "c", "shop:{mails}:new"})
    void jobsOfAStreamAreDoneRepeatedAndBuried(String key) throws Exception {
        StreamQueue<String> queue = StreamQueue.of(client, key, FieldsCodec.of("task", Codec.text()));
        queue.pushAll(payloads(300));
        queue.push("bad");
        List<String> done = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker("mills", 4, job -> {
                    if (job.payload().equals("bad")) {
                        throw new IllegalStateException("always");
                    }
                    done.add(job.payload());
                })
                .maxAttempts(2));

        assertThat(done).hasSize(300).contains("t0", "t299");
        assertThat(stats.succeeded()).isEqualTo(300);
        assertThat(queue.status().dead()).isEqualTo(1);
        assertThat(queue.redrive(10)).isEqualTo(1);
        assertThat(queue.purgeDead()).isZero();
    }
}
