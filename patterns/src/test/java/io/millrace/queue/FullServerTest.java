// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.RunningFlow;
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

/** Consumers of a server whose memory is full: it is for them to empty it. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FullServerTest {

    private static final String KEY = "feeds";

    @RegisterExtension
    static final Redis REDIS = new Redis();

    @AfterEach
    void setFree() {
        limit(0);
    }

    @ParameterizedTest
    @EnumSource
    void queueIsEmptiedThoughTheServerIsFull(Kind kind) {
        RedisClient client = REDIS.client();
        Work.push(kind.sink(client, KEY), Work.tasks(500));
        limit(1);
        QueueSource<String> source = kind.source(client, KEY, DRAIN.maxDeliveries(2));

        FlowReport<?> report = Flow.from(source).carryOn().run(delivery -> {
            if (delivery.task().equals("t7")) {
                throw new IllegalStateException("poison");
            }
        });

        assertThatThrownBy(() -> kind.sink(client, KEY).accept("one more")).hasMessageContaining("OOM");
        assertThat(report.counts().succeeded()).isEqualTo(499);
        assertThat(source.account().acknowledged()).isEqualTo(499);
        assertThat(source.account().deadLettered()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void sourceWaitsThoughTheServerIsFull(Kind kind) {
        RedisClient client = REDIS.client();
        limit(1);
        Set<String> done = ConcurrentHashMap.newKeySet();
        QueueSource<String> source =
                kind.source(client, KEY, ConsumerOptions.DEFAULT.lease(LEASE).patience(Duration.ofMillis(50)));
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> done.add(delivery.task()));
        long begun = System.nanoTime();
        Eventually.holds("its patience would be at its end", () -> System.nanoTime() - begun > 500_000_000L);

        limit(0);
        kind.sink(client, KEY).accept("at last");
        Eventually.holds("it is done", () -> done.contains("at last"));

        flow.cancel();
        assertThat(flow.await().sourceFailures()).isEmpty();
    }

    private static void limit(long bytes) {
        RedisClient client = REDIS.client();
        client.call(Command.of("CONFIG SET", "maxmemory-policy", "noeviction"));
        client.call(Command.of("CONFIG SET", "maxmemory", bytes));
    }
}
