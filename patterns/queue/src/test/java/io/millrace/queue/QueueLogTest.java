// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Streams;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The log of workers. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class QueueLogTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @Test
    void outageHasOneLineAtItsBeginningAndOneAtItsEnd() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofMillis(100));
        try (Worker worker = TestJobs.queue(line.client())
                .worker(2, job -> {})
                .name("mill-1")
                .lease(LEASE)
                .stopOnShutdown(false)
                .start()) {
            line.disconnect();
            long cutAt = System.nanoTime();
            Eventually.holds("two leases have passed", () -> System.nanoTime() - cutAt > 2 * LEASE.toNanos());
            line.reconnect();
            Eventually.holds("the worker is connected", () -> worker.stats().state() == WorkerState.RUNNING);
        }

        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().getFirst())
                .startsWith(
                        "WARNING a worker cannot use its queue and tries again: queue=feeds, worker=mill-1, failure=");
        assertThat(log.lines().getLast())
                .isEqualTo("INFO a worker can use its queue again: queue=feeds, worker=mill-1");
    }

    @Test
    void nameThatAnotherWorkerHasTakenDuringAnOutageHasALine() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofMillis(100));
        try (Worker worker = named(line.client()).start()) {
            line.disconnect();
            Eventually.holds("the outage is logged", () -> log.lines().size() == 1);
            try (Worker successor = named(REDIS.client()).start()) {
                line.reconnect();

                Eventually.holds(
                        "the taken name is logged",
                        () -> log.lines().getLast().contains("another live worker has taken its name"));
                assertThat(worker.name()).isEqualTo(successor.name());
                assertThat(worker.stats().state()).isEqualTo(WorkerState.DISCONNECTED);
            }
        }
    }

    private static WorkerBuilder<String> named(RedisClient client) {
        return TestJobs.queue(client)
                .worker(1, job -> {})
                .name("mill-1")
                .lease(LEASE)
                .stopOnShutdown(false);
    }

    @Test
    void failedAttemptAndDeadJobHaveALineWithTheException() throws Exception {
        String id = TestJobs.queue(REDIS.client()).push("a");

        WorkerStats stats = TestJobs.drain(TestJobs.queue(REDIS.client())
                .worker(1, job -> {
                    throw new IllegalStateException("poison");
                })
                .name("mill-1")
                .maxAttempts(2));

        assertThat(stats.dead()).isEqualTo(1);
        assertThat(log.lines())
                .containsExactly(
                        "WARNING an attempt failed and will be repeated: queue=feeds, worker=mill-1, job=" + id
                                + ", failures=1, maxAttempts=2.",
                        "WARNING a job is dead after its last attempt: queue=feeds, worker=mill-1, job=" + id
                                + ", failures=2, maxAttempts=2. Mend the cause, then redrive the job.");
    }

    @Test
    void abandonedGroupOfAStreamHasOneLine() {
        RedisClient client = REDIS.client();
        long hoursAgo = System.currentTimeMillis() - Duration.ofHours(30).toMillis();
        client.call(Streams.add("feeds", hoursAgo + "-1", Map.of("task", "old")));
        client.call(Streams.createGroup("feeds", "unused", "0"));
        StreamQueue<String> queue = StreamQueue.of(client, "feeds", FieldsCodec.of("task", Codec.text()));

        try (Worker worker = queue.worker("mills", 1, job -> {})
                .lease(Duration.ofMillis(300))
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds("the job is done", () -> worker.stats().succeeded() == 1);
            long start = System.nanoTime();
            Eventually.holds("the worker has trimmed several times", () -> System.nanoTime() - start > 500_000_000L);
        }

        // The log may have other lines, because renewals of the short lease may be late on a busy machine.
        List<String> lines = log.lines().stream()
                .filter(line -> line.contains("group=unused"))
                .toList();
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("WARNING a consumer group without an active consumer "
                        + "stops the trimming of its stream: stream=feeds, group=unused, oldestEntryHours=30. ");
    }
}
