// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.scheduling.support.CronExpression;

/** Tests starts of jobs that fail: without a thread for the run, or because an earlier run is blocked. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FailedStartTest {

    private static final StopLimits LIMITS =
            new StopLimits(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofSeconds(60));
    private static final CronExpression YEARLY = CronExpression.parse("0 0 0 1 1 *");

    private static EmbeddedRedis server;

    private final List<Object> events = new CopyOnWriteArrayList<>();
    private final WarningLog log = new WarningLog();
    private RedisClient client;

    /** Keeps the warnings. */
    private static final class WarningLog extends NoOpLog {

        private static final long serialVersionUID = 1L;

        private final transient List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        public void warn(Object message) {
            lines.add(String.valueOf(message));
        }

        @Override
        public void warn(Object message, Throwable failure) {
            lines.add(message + ": " + failure.getMessage());
        }
    }

    /**
     * A factory whose first thread cannot be started, as in a container with too many threads. The JVM throws an {@code
     * OutOfMemoryError} then, with which JUnit would end all tests.
     */
    private static ThreadFactory firstThreadFails() {
        AtomicInteger threads = new AtomicInteger();
        return work -> threads.incrementAndGet() > 1
                ? new Thread(work)
                : new Thread(work) {
                    @Override
                    public void start() {
                        throw new InternalError("unable to create native thread");
                    }
                };
    }

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

    private LoadJobs jobs(GatedSource source, ThreadFactory threads) {
        return new LoadJobs(
                List.of(source.job("shop")),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        events::add,
                        List.of(),
                        LIMITS,
                        threads));
    }

    @Test
    void runWithoutAThreadFailsAndTheNextRunLoads() throws Exception {
        LoadJobs jobs = jobs(GatedSource.open(2), firstThreadFails());

        LoadRun failed = jobs.start("shop").get(60, TimeUnit.SECONDS);
        LoadRun next = jobs.start("shop").get(60, TimeUnit.SECONDS);

        assertThat(failed.failure()).containsInstanceOf(InternalError.class);
        assertThat(failed.report().ending().reason().orElseThrow()).contains("unable to create native thread");
        assertThat(next.isComplete()).isTrue();
        assertThat(events)
                .containsExactly(
                        new LoadStarted("shop", RunKind.CONFIGURED, 1),
                        new LoadEnded(failed, 1),
                        new LoadStarted("shop", RunKind.CONFIGURED, 2),
                        new LoadEnded(next, 2));
        jobs.shutDown();
    }

    @Test
    void timeOfTheCronExpressionAfterAFailedStartIsScheduled() {
        LoadJobs jobs = jobs(GatedSource.open(2), Thread::new);
        CronTimer timer = new CronTimer(jobs, "unknown", YEARLY, log);

        boolean started = timer.tick();

        assertThat(started).isFalse();
        assertThat(jobs.timer().getQueue()).hasSize(1);
        assertThat(log.lines)
                .singleElement()
                .asString()
                .contains("is left out: there is no such load job: job=unknown");
        jobs.shutDown();
    }

    @Test
    void startBehindABlockedRunIsRefusedWithItsRemedy() throws Exception {
        GatedSource source = GatedSource.closed(2).withoutCancel();
        LoadJobs jobs = jobs(source, Thread::new);
        CompletableFuture<LoadRun> blocked = jobs.start("shop");
        source.awaitOpened();
        assertThat(jobs.stop("shop")).isTrue();
        assertThat(blocked.get(60, TimeUnit.SECONDS).isComplete()).isFalse();

        boolean started = new CronTimer(jobs, "shop", YEARLY, log).tick();
        WebEndpointResponse<Object> answer =
                new MillraceLoadsWebExtension(new MillraceLoadsEndpoint(jobs)).start("shop");
        source.letPass();

        String remedy = "an earlier run of the load job is blocked by its source, by the server or by a listener:"
                + " job=shop. Restart the application.";
        assertThat(started).isFalse();
        assertThat(log.lines)
                .containsExactly("a time of the cron expression of the load job shop is left out: " + remedy);
        assertThat(answer.getStatus()).isEqualTo(409);
        assertThat(answer.getBody()).isEqualTo(Map.of("problem", remedy));
        jobs.shutDown();
    }
}
