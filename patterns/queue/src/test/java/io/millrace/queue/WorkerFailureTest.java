// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.payloads;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers whose codec, executor or handler of dead jobs fails or hangs. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WorkerFailureTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    /** The context of the thread that starts a worker. */
    private static final InheritableThreadLocal<String> CONTEXT = new InheritableThreadLocal<>();

    private RedisClient client;
    private JobQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = TestJobs.queue(client);
    }

    private JobQueue<String> decoding(Function<String, String> decoder) {
        return JobQueue.of(client, "feeds", Codec.text(text -> text, decoder));
    }

    @Test
    void jobThatCannotBeDecodedIsDeadAfterItsLastAttempt() throws Exception {
        client.call(Lists.pushLeft("numbers", "1", "two", "3"));
        JobQueue<Integer> numbers = JobQueue.of(client, "numbers", Codec.text(String::valueOf, Integer::valueOf));

        WorkerStats stats = drain(numbers.worker(2, job -> {}).maxAttempts(2));

        assertThat(stats.succeeded()).isEqualTo(2);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(numbers.dead(10)).singleElement().satisfies(job -> {
            assertThat(new String(job.payload(), UTF_8)).isEqualTo("two");
            assertThat(job.attempts()).isEqualTo(2);
            assertThat(job.reason()).startsWith("not decoded: java.lang.NumberFormatException");
        });
    }

    @Test
    void errorOfTheCodecIsAFailedAttempt() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        JobQueue<String> failing = decoding(text -> {
            if (failed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("not really");
            }
            return text;
        });
        failing.push("a");
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(failing.worker(1, job -> attempts.add(job.attempt())));

        assertThat(attempts).containsExactly(2);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.dead()).isZero();
    }

    @Test
    void codecThatIsInterruptedByTheShutdownDoesNotCount() throws Exception {
        CountDownLatch decoding = new CountDownLatch(1);
        JobQueue<String> blocking = decoding(text -> {
            decoding.countDown();
            try {
                Thread.currentThread().join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return text;
        });
        blocking.push("a");
        Worker worker = blocking.worker(1, job -> {})
                .shutdownGrace(Duration.ZERO)
                .stopOnShutdown(false)
                .start();
        decoding.await();

        worker.close();

        assertThat(worker.stats().returned()).isEqualTo(1);
        assertThat(queue.peek(10)).extracting(Job::attempt).containsExactly(1);
    }

    @Test
    void checkedExceptionsOfTheCodecAndOfTheHandlerOfDeadJobsLeaveThePlaceFree() throws Exception {
        JobQueue<String> failing = decoding(text -> {
            if (text.equals("t0")) {
                throw sneaky(new IOException("schema registry"));
            }
            return text;
        });
        failing.pushAll(payloads(5));

        WorkerStats stats = drain(failing.worker(1, job -> {
                    if (job.payload().equals("t1")) {
                        throw new IOException("poison");
                    }
                })
                .maxAttempts(1)
                .onDead((job, cause) -> {
                    throw sneaky(new IOException("mail server"));
                }));

        assertThat(stats.succeeded()).isEqualTo(3);
        assertThat(stats.dead()).isEqualTo(2);
        assertThat(failing.dead(10))
                .extracting(DeadJob::reason)
                .containsExactly(
                        "failed: java.io.IOException: poison", "not decoded: java.io.IOException: schema registry");
    }

    /** Throws a checked exception where the compiler permits none, as other languages do. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException sneaky(Exception thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void handlerOfDeadJobsThatHangsIsAbandonedAndTheJobIsDead() throws Exception {
        queue.pushAll(List.of("poison", "next"));
        CountDownLatch mayEnd = new CountDownLatch(1);

        WorkerStats stats = drain(queue.worker(1, job -> {
                    if (job.payload().equals("poison")) {
                        throw new IllegalStateException("poison");
                    }
                    mayEnd.countDown();
                })
                .maxAttempts(1)
                .interruptGrace(Duration.ofMillis(50))
                .onDead((job, cause) -> awaitUninterruptibly(mayEnd)));

        assertThat(stats.succeeded()).isEqualTo(1);
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(stats.timedOut()).isZero();
        assertThat(queue.dead(10))
                .extracting(DeadJob::reason)
                .containsExactly("failed: java.lang.IllegalStateException: poison");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // this handler ignores its interrupt
            }
        }
    }

    @Test
    void jobsThatTheExecutorRejectsAreGivenBackUncounted() throws Exception {
        queue.pushAll(payloads(10));
        AtomicInteger rejections = new AtomicInteger();
        Executor full = task -> {
            if (rejections.incrementAndGet() <= 20) {
                throw new RejectedExecutionException("full");
            }
            Thread unused = Thread.startVirtualThread(task);
        };
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());

        WorkerStats stats = drain(queue.worker(5, job -> attempts.add(job.attempt()))
                .maxAttempts(1)
                .executor(full));

        assertThat(attempts).hasSize(10).containsOnly(1);
        assertThat(stats.succeeded()).isEqualTo(10);
        assertThat(stats.rejected()).isEqualTo(20);
        assertThat(stats.returned()).isEqualTo(20);
        assertThat(stats.dead()).isZero();
    }

    @Test
    void jobsInheritNothingFromTheThreadThatStartsTheWorker() throws Exception {
        queue.push("a");
        List<Optional<String>> contexts = Collections.synchronizedList(new ArrayList<>());
        List<ClassLoader> loaders = Collections.synchronizedList(new ArrayList<>());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        CONTEXT.set("request of a user");
        Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
        try {
            WorkerStats unused = drain(queue.worker(1, job -> {
                contexts.add(Optional.ofNullable(CONTEXT.get()));
                loaders.add(Thread.currentThread().getContextClassLoader());
            }));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            CONTEXT.remove();
        }

        assertThat(contexts).containsExactly(Optional.empty());
        assertThat(loaders).containsExactly(WorkerFailureTest.class.getClassLoader());
    }

    @Test
    void workerKeepsTheProcessAliveUntilItIsClosed() {
        try (Worker worker = queue.worker(1, job -> {}).stopOnShutdown(false).start()) {
            assertThat(worker.name()).isNotEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !thread.isDaemon())
                    .extracting(Thread::getName)
                    .contains("millrace-worker-feeds");
        }
    }
}
