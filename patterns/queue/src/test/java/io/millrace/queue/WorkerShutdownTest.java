// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing workers. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WorkerShutdownTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @TempDir
    private Path outputs;

    private RedisClient client;
    private JobQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = TestJobs.queue(client);
    }

    @Test
    void closedWorkerFinishesItsJobsAndTakesNoMore() throws Exception {
        queue.pushAll(payloads(10));
        CountDownLatch began = new CountDownLatch(4);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Worker worker = queue.worker(4, job -> {
                    began.countDown();
                    mayEnd.await();
                })
                .stopOnShutdown(false)
                .start();
        began.await();
        Thread closing = Thread.startVirtualThread(worker::close);
        Eventually.holds("the worker is closing", () -> worker.stats().state() == WorkerState.CLOSING);

        mayEnd.countDown();
        closing.join();

        assertThat(worker.stats().succeeded()).isEqualTo(4);
        assertThat(worker.stats().pending()).isZero();
        assertThat(queue.size()).isEqualTo(6);
        assertThat(queue.status().workers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void workerWhoseClientIsClosedFirstEndsAndSaysSo(QueueKind queueKind) throws Exception {
        List<String> unused = queueKind.push(client, "feeds", List.of("a"));
        RedisClient own = REDIS.client();
        try (Worker worker = queueKind
                .worker(own, "feeds", 1, job -> {})
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds(
                    "the job is done",
                    () -> worker.stats().pending() == 0 && worker.stats().succeeded() == 1);

            own.close();

            assertThatThrownBy(() -> worker.await(Duration.ofSeconds(60)))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("the worker has ended early")
                    .hasMessageEndingWith(". Mend the cause, then start a new worker.")
                    .cause()
                    .hasMessageContaining("the client was closed before the worker");
            assertThat(worker.stats().state()).isEqualTo(WorkerState.ENDED);
        }
    }

    @Test
    void interruptedJobsReturnToTheirPlacesUncounted() throws Exception {
        queue.pushAll(payloads(10));
        CountDownLatch began = new CountDownLatch(4);
        Worker worker = queue.worker(4, job -> {
                    began.countDown();
                    Thread.currentThread().join();
                })
                .shutdownGrace(Duration.ofMillis(50))
                .stopOnShutdown(false)
                .start();
        began.await();

        worker.close();

        assertThat(worker.stats().returned()).isEqualTo(worker.stats().taken()).isEqualTo(4);
        List<Job<String>> waiting = queue.peek(100);
        assertThat(waiting).extracting(Job::payload).isEqualTo(payloads(10));
        assertThat(waiting).extracting(Job::attempt).containsOnly(1);
    }

    @Test
    void jobThatHasNotNoticedTheInterruptOfTheShutdownIsDone() throws Exception {
        queue.push("a");
        CountDownLatch began = new CountDownLatch(1);
        Worker worker = queue.worker(1, job -> {
                    began.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                })
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start();
        began.await();

        worker.close();

        assertThat(worker.stats().succeeded()).isEqualTo(1);
        assertThat(queue.size()).isZero();
    }

    @Test
    void jobThatIgnoresTheInterruptIsGivenBack() throws Exception {
        queue.push("a");
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Worker worker = queue.worker(1, job -> {
                    began.countDown();
                    while (mayEnd.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                })
                .shutdownGrace(Duration.ZERO)
                .interruptGrace(Duration.ofMillis(10))
                .stopOnShutdown(false)
                .start();
        began.await();

        worker.close();

        assertThat(worker.stats().returned()).isEqualTo(1);
        assertThat(worker.stats().abandoned()).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(1);
        mayEnd.countDown();
        Eventually.holds("the job has ended", () -> worker.stats().abandoned() == 0);
    }

    @Test
    void interruptOfTheClosingThreadEndsTheWaitForJobs() throws Exception {
        queue.push("a");
        CountDownLatch began = new CountDownLatch(1);
        Worker worker = queue.worker(1, job -> {
                    began.countDown();
                    Thread.currentThread().join();
                })
                .shutdownGrace(Duration.ofHours(1))
                .stopOnShutdown(false)
                .start();
        began.await();
        List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
        Thread closing = Thread.ofVirtual().start(() -> {
            worker.close();
            interrupted.add(Thread.currentThread().isInterrupted());
        });

        closing.interrupt();
        closing.join();

        assertThat(interrupted).containsExactly(true);
        assertThat(worker.stats().returned()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void terminatedProcessFinishesItsJobsAndGivesTheRestBack(QueueKind queueKind) throws Exception {
        List<String> unused = queueKind.push(client, "feeds", List.of("short", "long", "waits"));
        Process process = start(queueKind);
        try {
            assertThat(client.call(Lists.awaitRight(Duration.ofSeconds(60), "began")))
                    .isPresent();
            assertThat(client.call(Lists.awaitRight(Duration.ofSeconds(60), "began")))
                    .isPresent();

            process.destroy(); // SIGTERM
            Eventually.holds("the worker is closing", () -> client.call(Lists.size("closing")) == 1);
            client.call(Lists.pushLeft("end-short", "now"));

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(outputs.resolve("process")).isEmptyFile();
        assertThat(client.call(Lists.range("done", 0, -1))).containsExactly("short");
        List<Job<String>> rest = Collections.synchronizedList(new ArrayList<>());
        WorkerStats after = TestJobs.drain(queueKind.worker(client, "feeds", 1, rest::add));
        assertThat(rest).extracting(Job::payload).containsExactlyInAnyOrder("long", "waits");
        assertThat(rest).extracting(Job::attempt).containsOnly(1);
        assertThat(after.succeeded()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void jobThatIsGivenBackByManyClosingWorkersIsNotCounted(QueueKind queueKind) throws Exception {
        List<String> unused = queueKind.push(client, "feeds", List.of("long"));
        for (int deployment = 1; deployment <= 10; deployment++) {
            CountDownLatch began = new CountDownLatch(1);
            Worker worker = queueKind
                    .worker(client, "feeds", 1, job -> {
                        began.countDown();
                        Thread.currentThread().join();
                    })
                    .shutdownGrace(Duration.ZERO)
                    .maxDeaths(1)
                    .stopOnShutdown(false)
                    .start();
            Eventually.holds("the job has begun", () -> began.getCount() == 0);
            worker.close();
        }
        List<Job<String>> seen = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = TestJobs.drain(queueKind.worker(client, "feeds", 1, seen::add));

        assertThat(seen).extracting(Job::attempt).containsExactly(1);
        assertThat(stats.succeeded()).isEqualTo(1);
        assertThat(queueKind.dead(client, "feeds")).isEmpty();
    }

    private Process start(QueueKind queueKind) throws Exception {
        return new ProcessBuilder(Processes.withDefaultSignals(JavaCommand.of(
                        TerminatedProcess.class, Integer.toString(REDIS.server().port()), queueKind.name())))
                .redirectErrorStream(true)
                .redirectOutput(outputs.resolve("process").toFile())
                .start();
    }
}
