// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadEvent;
import io.millrace.load.RowCounts;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationEventPublisher;

/** Tests that a listener of the application that fails or blocks does not keep a run open. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RunEventsTest {

    private static EmbeddedRedis server;

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(server.uri()));
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private LoadJobs jobs(ApplicationEventPublisher listener, LoadJob job) {
        return jobs(listener, List.of(), job);
    }

    private LoadJobs jobs(ApplicationEventPublisher listener, List<LoadObserver> observers, LoadJob job) {
        return new LoadJobs(
                List.of(job),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        listener,
                        observers));
    }

    @ParameterizedTest
    @ValueSource(classes = {LoadStarted.class, LoadEnded.class})
    void failingListenerDoesNotChangeTheRun(Class<?> failing) {
        LoadJobs jobs = jobs(
                event -> {
                    if (failing.isInstance(event)) {
                        throw new IllegalStateException("a listener fails");
                    }
                },
                GatedSource.open(2).job("shop"));

        assertThat(jobs.run("shop").isComplete()).isTrue();
        jobs.shutDown();
    }

    @ParameterizedTest
    @ValueSource(classes = {LoadStarted.class, LoadEnded.class})
    void errorOfAListenerDoesNotKeepTheRunOpen(Class<?> failing) throws Exception {
        LoadJobs jobs = jobs(
                event -> {
                    if (failing.isInstance(event)) {
                        throw new NoClassDefFoundError("a class of a listener");
                    }
                },
                GatedSource.open(2).job("shop"));

        assertThat(jobs.start("shop").get(60, TimeUnit.SECONDS).isComplete()).isTrue();
        jobs.shutDown();
    }

    static List<LoadObserver> failingObservers() {
        return List.of(
                job -> event -> {
                    throw new IllegalStateException("a listener of an observer fails");
                },
                job -> event -> {
                    throw new NoClassDefFoundError("a class of a listener");
                },
                job -> {
                    throw new IllegalStateException("an observer has no listener");
                });
    }

    @ParameterizedTest
    @MethodSource("failingObservers")
    void observerThatFailsDoesNotChangeTheRun(LoadObserver failing) {
        List<LoadEvent> seen = new CopyOnWriteArrayList<>();
        LoadJobs jobs = jobs(
                event -> {},
                List.of(failing, job -> seen::add),
                GatedSource.open(2).withRejectedRow().job("shop"));

        LoadRun run = jobs.run("shop");

        assertThat(run.code()).isEqualTo(ExitCode.REJECTED);
        assertThat(run.report().rows()).isEqualTo(new RowCounts(2, 1, 1, 0, 0));
        assertThat(seen).last().isEqualTo(new LoadEvent.Finished(run.report()));
        jobs.shutDown();
    }

    /** Keeps the lines. */
    private static final class LinesLog extends NoOpLog {

        private static final long serialVersionUID = 1L;

        private final transient List<String> lines = new ArrayList<>();

        @Override
        public void warn(Object message, Throwable failure) {
            lines.add(message + " " + failure.getMessage());
        }
    }

    @Test
    void firstFailureOfAnObserverInARunIsLogged() {
        LinesLog log = new LinesLog();
        List<LoadEvent> seen = new ArrayList<>();
        LoadObserver failing = job -> event -> {
            seen.add(event);
            throw new IllegalStateException("no disk");
        };
        RunEvents events = new RunEvents(event -> {}, List.of(failing), log);

        Consumer<LoadEvent> listener = events.listener("shop", RunKind.CONFIGURED);
        listener.accept(new LoadEvent.Warned("one"));
        listener.accept(new LoadEvent.Warned("two"));

        assertThat(seen).hasSize(2);
        assertThat(log.lines)
                .containsExactly("an observer of the load job shop failed at the event Warned: class="
                        + failing.getClass().getName() + ". The load continues. no disk");
    }

    @Test
    void observerThatFailsDoesNotKeepTheRunOpen() {
        List<Object> events = new ArrayList<>();
        LoadJobs jobs = jobs(event -> {}, GatedSource.open(1).job("shop"));
        LoadRun shared = LoadRun.ofFleet("shop", jobs.run("shop").report());
        jobs.shutDown();
        LoadObserver failing = new LoadObserver() {
            @Override
            public Consumer<LoadEvent> listener(String job) {
                return event -> {};
            }

            @Override
            public void shared(LoadRun run) {
                throw new IllegalStateException("an observer fails");
            }
        };

        new RunEvents(events::add, List.of(failing)).ended(shared, 7);

        assertThat(events).last().isEqualTo(new LoadEnded(shared, 7));
    }

    @Test
    void runWhoseListenerBlocksEndsWithItsDeadline() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        LoadJobs jobs = jobs(
                event -> {
                    if (event instanceof LoadEnded) {
                        await(release);
                        returned.countDown();
                    }
                },
                GatedSource.open(2).job("shop", Duration.ofMillis(300), Duration.ZERO));

        LoadRun run = jobs.start("shop").get(60, TimeUnit.SECONDS);

        assertThat(jobs.last("shop")).containsSame(run);
        release.countDown();
        await(returned);
        jobs.shutDown();
    }

    @Test
    void shutdownEndsTheWaitForARunWhoseListenerBlocks() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(1);
        LoadJobs jobs = jobs(
                event -> {
                    if (event instanceof LoadEnded) {
                        called.countDown();
                        await(release);
                    }
                },
                GatedSource.open(2).job("shop"));
        CompletableFuture<LoadRun> result = jobs.start("shop");
        called.await();

        jobs.shutDown();

        assertThat(result.get(60, TimeUnit.SECONDS).isComplete()).isTrue();
        release.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
