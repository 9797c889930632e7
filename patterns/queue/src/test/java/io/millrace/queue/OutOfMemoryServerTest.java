// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.drain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers on a server without free memory. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class OutOfMemoryServerTest {

    private static final String KEY = "feeds";

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @AfterEach
    void removeLimit() {
        limit(0);
    }

    @ParameterizedTest
    @EnumSource
    void allJobsAreDoneWhileTheServerHasNoFreeMemory(QueueKind queueKind) throws Exception {
        RedisClient client = REDIS.client();
        List<String> unused = queueKind.push(client, KEY, TestJobs.payloads(500));
        limit(1);

        WorkerStats stats = drain(queueKind
                .worker(client, KEY, 4, job -> {
                    if (job.payload().equals("t7")) {
                        throw new IllegalStateException("poison");
                    }
                })
                .maxAttempts(2));

        assertThatThrownBy(() -> queueKind.push(client, KEY, List.of("one more")))
                .hasMessageContaining("OOM");
        assertThat(stats.succeeded()).isEqualTo(499);
        assertThat(stats.dead()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void workerWaitsForJobsWhileTheServerHasNoFreeMemory(QueueKind queueKind) {
        RedisClient client = REDIS.client();
        limit(1);
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (Worker worker = queueKind
                .worker(client, KEY, 2, job -> done.add(job.payload()))
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            long start = System.nanoTime();
            Eventually.holds("the worker waits", () -> System.nanoTime() - start > 500_000_000L);

            limit(0);
            List<String> unused = queueKind.push(client, KEY, List.of("at last"));

            Eventually.holds("the job is done", () -> done.contains("at last"));
            assertThat(worker.stats().taken()).isEqualTo(1);
        }
    }

    private static void limit(long bytes) {
        RedisClient client = REDIS.client();
        client.call(Command.of("CONFIG SET", "maxmemory-policy", "noeviction"));
        client.call(Command.of("CONFIG SET", "maxmemory", bytes));
    }
}
