// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.ApplicationEventPublisher;

/** Tests runs whose thread is blocked by its source, also after a stop. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class GivenUpRunTest {

    /** A run is given up soon, and the shutdown waits long for its listeners. */
    private static final StopLimits LIMITS =
            new StopLimits(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofSeconds(60));

    private static EmbeddedRedis server;

    private final GatedSource source = GatedSource.closed(2).withoutCancel();
    private final List<Object> events = new CopyOnWriteArrayList<>();
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
        source.letPass();
        client.close();
    }

    private LoadJobs jobs(ApplicationEventPublisher listener) {
        return new LoadJobs(
                List.of(source.job("shop")),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        listener,
                        List.of(),
                        LIMITS));
    }

    @Test
    void actionsOfCallersDoNotRunOnTheTimer() throws Exception {
        LoadJobs jobs = jobs(events::add);
        CompletableFuture<Thread> thread = jobs.start("shop").thenApply(run -> Thread.currentThread());
        source.awaitOpened();

        assertThat(jobs.stop("shop")).isTrue();

        assertThat(thread.get(60, TimeUnit.SECONDS).isVirtual()).isTrue();
        assertThatThrownBy(() -> jobs.start("shop"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("an earlier run of the load job is blocked");
        jobs.shutDown();
    }

    @Test
    void shutdownWaitsForTheListenersOfTheEnd() throws Exception {
        LoadJobs jobs = jobs(event -> {
            if (event instanceof LoadEnded) {
                pause(Duration.ofMillis(300));
            }
            events.add(event);
        });
        CompletableFuture<LoadRun> result = jobs.start("shop");
        source.awaitOpened();

        jobs.shutDown();

        LoadRun run = jobs.last("shop").orElseThrow();
        assertThat(events).containsExactly(new LoadStarted("shop", RunKind.CONFIGURED, 1), new LoadEnded(run, 1));
        assertThat(result.get(60, TimeUnit.SECONDS)).isSameAs(run);
        assertThat(run.code()).isEqualTo(ExitCode.STOPPED);
        assertThat(run.report().ending().reason().orElseThrow()).contains("the source, the server or a listener");
    }

    private static void pause(Duration time) {
        try {
            assertThat(new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS))
                    .isFalse();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
