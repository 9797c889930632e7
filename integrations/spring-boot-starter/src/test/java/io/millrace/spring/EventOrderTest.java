// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.ApplicationEventPublisher;

/** Tests that the events of one job come one at a time and in order, and what a listener may do. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class EventOrderTest {

    private static EmbeddedRedis server;

    private final List<String> order = new CopyOnWriteArrayList<>();
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
        return new LoadJobs(
                List.of(job),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        listener,
                        List.of()));
    }

    @Test
    void nextRunBeginsAfterTheListenersOfTheEndHaveReturned() throws Exception {
        CountDownLatch inListener = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        GatedSource source = GatedSource.open(1);
        LoadJobs jobs = jobs(
                event -> {
                    order.add(event.getClass().getSimpleName());
                    if (event instanceof LoadEnded) {
                        inListener.countDown();
                        await(release);
                        order.add("returned");
                    }
                },
                source.job("shop"));
        CompletableFuture<LoadRun> first = jobs.start("shop");
        await(inListener);

        CompletableFuture<LoadRun> second = jobs.start("shop");
        awaitTwoWaitingThreads();
        LoadView duringTheListener = jobs.view("shop");
        int openings = source.openings();
        release.countDown();

        assertThat(second.get(60, TimeUnit.SECONDS)).isNotSameAs(first.get(60, TimeUnit.SECONDS));
        assertThat(order)
                .containsExactly("LoadStarted", "LoadEnded", "returned", "LoadStarted", "LoadEnded", "returned");
        assertThat(openings).isEqualTo(1);
        assertThat(duringTheListener.running()).isTrue();
        assertThat(duringTheListener.last()).isNotNull();
        jobs.shutDown();
    }

    /** Waits until the threads of both runs wait: one in the listener, the other one for its turn. */
    private static void awaitTwoWaitingThreads() {
        while (Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("millrace-load-shop"))
                        .filter(thread -> thread.getState() == Thread.State.WAITING)
                        .count()
                < 2) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void listenerOfTheEndMayStartTheJobAgain() throws Exception {
        CompletableFuture<CompletableFuture<LoadRun>> second = new CompletableFuture<>();
        AtomicReference<LoadJobs> jobs = new AtomicReference<>();
        jobs.set(jobs(
                event -> {
                    if (event instanceof LoadEnded && !second.isDone()) {
                        second.complete(jobs.get().start("shop"));
                    }
                },
                GatedSource.open(1).job("shop")));

        LoadRun first = jobs.get().run("shop");

        LoadRun again = second.get(60, TimeUnit.SECONDS).get(60, TimeUnit.SECONDS);
        assertThat(again.isComplete()).isTrue();
        assertThat(again).isNotSameAs(first);
        jobs.get().shutDown();
    }

    @Test
    void listenerThatWaitsForTheNextRunOfItsJobIsRefused() {
        AtomicReference<String> refusal = new AtomicReference<>("");
        AtomicReference<LoadJobs> jobs = new AtomicReference<>();
        jobs.set(jobs(
                event -> {
                    if (event instanceof LoadEnded) {
                        try {
                            LoadRun unused = jobs.get().run("shop");
                        } catch (IllegalStateException expected) {
                            refusal.set(String.valueOf(expected.getMessage()));
                        }
                    }
                },
                GatedSource.open(1).job("shop")));

        assertThat(jobs.get().run("shop").isComplete()).isTrue();

        assertThat(refusal.get())
                .isEqualTo("a listener of a load job cannot wait for a run of the same job: job=shop. Use start, and"
                        + " return.");
        jobs.get().shutDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
