// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Consumers on a server without free memory. */
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
    void allTasksAreConsumedWhileTheServerHasNoFreeMemory(QueueKind queueKind) {
        RedisClient client = REDIS.client();
        TestTasks.push(queueKind.sink(client, KEY), TestTasks.tasks(500));
        limit(1);
        QueueSource<String> source = queueKind.source(client, KEY, DRAIN.maxDeliveries(2));

        TaskFlowReport<?> report = TaskFlow.from(source).continueOnFailure().run(delivery -> {
            if (delivery.task().equals("t7")) {
                throw new IllegalStateException("poison");
            }
        });

        assertThatThrownBy(() -> queueKind.sink(client, KEY).accept("one more")).hasMessageContaining("OOM");
        assertThat(report.counts().succeeded()).isEqualTo(499);
        assertThat(source.stats().acknowledged()).isEqualTo(499);
        assertThat(source.stats().deadLettered()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void sourceWaitsForTasksWhileTheServerHasNoFreeMemory(QueueKind queueKind) {
        RedisClient client = REDIS.client();
        limit(1);
        Set<String> done = ConcurrentHashMap.newKeySet();
        QueueSource<String> source = queueKind.source(
                client, KEY, ConsumerOptions.DEFAULT.lease(LEASE).retryTimeout(Duration.ofMillis(50)));
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source).start(delivery -> done.add(delivery.task()));
        long start = System.nanoTime();
        Eventually.holds(
                "the source waits longer than its retry timeout", () -> System.nanoTime() - start > 500_000_000L);

        limit(0);
        queueKind.sink(client, KEY).accept("at last");
        Eventually.holds("the task is done", () -> done.contains("at last"));

        flow.cancel();
        assertThat(flow.await().sourceFailures()).isEmpty();
    }

    private static void limit(long bytes) {
        RedisClient client = REDIS.client();
        client.call(Command.of("CONFIG SET", "maxmemory-policy", "noeviction"));
        client.call(Command.of("CONFIG SET", "maxmemory", bytes));
    }
}
