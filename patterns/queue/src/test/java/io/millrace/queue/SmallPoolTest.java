// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers of a client that has fewer dedicated connections than the workers need. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SmallPoolTest {

    /** A renewal of this lease may wait 10 s for a dedicated connection. */
    private static final Duration LONG_LEASE = Duration.ofHours(1);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @ParameterizedTest
    @EnumSource
    void workerStartsWhileNoDedicatedConnectionIsFree(QueueKind queueKind) {
        RedisClient client = REDIS.clientWithPool(1, Duration.ofSeconds(60));
        DedicatedConnection onlyOne = client.borrow();
        long start = System.nanoTime();
        try (Worker worker = started(queueKind, client, "feeds", "mill-1")) {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            onlyOne.close();
            List<String> unused = queueKind.push(REDIS.client(), "feeds", List.of("a"));
            Eventually.holds("the job is done", () -> worker.stats().succeeded() == 1);

            assertThat(took).isLessThan(Duration.ofSeconds(5));
        }
    }

    private static Worker started(QueueKind queueKind, RedisClient client, String key, String name) {
        return queueKind
                .worker(client, key, 1, job -> {})
                .name(name)
                .lease(LONG_LEASE)
                .stopOnShutdown(false)
                .start();
    }

    @ParameterizedTest
    @EnumSource
    void eachWorkerThatWaitsForConnectionsLogsOneLine(QueueKind queueKind) {
        RedisClient client = REDIS.clientWithPool(1, Duration.ofSeconds(60));
        Deque<Worker> workers = new ArrayDeque<>();
        try {
            for (int number = 1; number <= 3; number++) { // each waits two seconds for the waits of the others
                workers.push(started(queueKind, client, "feeds-" + number, "mill-" + number));
            }
            Eventually.holds("each worker has logged", () -> linesAboutThePool().size() >= 3);
        } finally {
            workers.forEach(Worker::close);
        }

        assertThat(linesAboutThePool())
                .containsExactlyInAnyOrder(
                        lineOf("feeds-1", "mill-1"), lineOf("feeds-2", "mill-2"), lineOf("feeds-3", "mill-3"));
    }

    /** A busy machine may cause other lines, for example about an outage. */
    private List<String> linesAboutThePool() {
        return log.lines().stream()
                .filter(line -> line.contains("free connection"))
                .toList();
    }

    private static String lineOf(String queue, String worker) {
        return "WARNING a worker waits for a free connection in the pool of its client, or the server replies late, and takes"
                + " jobs late: queue=" + queue + ", worker=" + worker
                + ", poolSize=1. If many workers share the client, set poolSize to two connections for each of them.";
    }

    @Test
    void refusedFetchLogsThatThePoolIsTooSmall() {
        RedisClient client = REDIS.clientWithPool(1, Duration.ofMillis(200));
        try (DedicatedConnection onlyOne = client.borrow();
                Worker worker = started(QueueKind.JOBS, client, "feeds", "mill-1")) {
            Eventually.holds("the worker cannot fetch", () -> worker.stats().state() == WorkerState.DISCONNECTED);

            assertThat(onlyOne.isOpen()).isTrue();
        }

        assertThat(log.lines())
                .contains("WARNING a worker finds no free connection in the pool of its client, and takes jobs late:"
                        + " queue=feeds, worker=mill-1, poolSize=1. Set poolSize to two connections for each worker of the"
                        + " client.");
    }
}
