// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Common parts of the queue tests. */
final class TestJobs {

    /** A short lease, but long enough for a live worker to renew the lease in time. */
    static final Duration LEASE = Duration.ofSeconds(1);

    /** A backoff that repeats a failed job at the next tick. */
    static final RetryBackoff AT_ONCE = RetryBackoff.fixed(Duration.ofMillis(1));

    private TestJobs() {}

    static JobQueue<String> queue(RedisClient client) {
        return JobQueue.of(client, "feeds", Codec.text());
    }

    /** Returns {@code count} payloads: {@code t0}, {@code t1} and so on. */
    static List<String> payloads(int count) {
        return IntStream.range(0, count).mapToObj(number -> "t" + number).toList();
    }

    /** Configures a worker for tests that ends when the queue is empty. */
    static <T> WorkerBuilder<T> draining(WorkerBuilder<T> builder) {
        return builder.lease(LEASE).backoff(AT_ONCE).stopOnShutdown(false).endWhenEmpty();
    }

    /** Runs a worker until the queue is empty. Returns its stats. */
    static WorkerStats drain(WorkerBuilder<?> builder) throws InterruptedException {
        try (Worker worker = draining(builder).start()) {
            worker.await();
            return worker.stats();
        }
    }
}
