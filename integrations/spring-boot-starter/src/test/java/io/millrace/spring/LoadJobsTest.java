// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.RowCounts;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.scheduling.support.CronExpression;

/** Tests runs of jobs with a real server, and with a source that waits for the test. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadJobsTest {

    private static EmbeddedRedis server;

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
        client.call(Server.flush());
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private LoadJobs jobs(LoadJob... jobs) {
        return jobs(List.of(), jobs);
    }

    private LoadJobs jobs(List<LoadObserver> observers, LoadJob... jobs) {
        return new LoadJobs(
                List.of(jobs),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        events::add,
                        observers));
    }

    @Test
    void runOfAJobLoadsItsRowsAndReportsThem() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop"));

        LoadRun run = jobs.run("shop");

        assertThat(run.isComplete()).isTrue();
        assertThat(run.code()).isEqualTo(ExitCode.OK);
        assertThat(run.shared()).isFalse();
        assertThat(run.report().rows().written()).isEqualTo(3);
        assertThat(client.call(Hashes.getAll("shop:2"))).isEqualTo(Map.of("id", "2"));
        assertThat(jobs.last("shop")).contains(run);
        assertThat(events).containsExactly(new LoadStarted("shop", RunKind.CONFIGURED, 1), new LoadEnded(run, 1));
        jobs.shutDown();
    }

    @Test
    void startOfARunningJobJoinsItsRun() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));

        CompletableFuture<LoadRun> first = jobs.start("shop");
        source.awaitOpened();
        CompletableFuture<LoadRun> second = jobs.start("shop");
        assertThat(jobs.isRunning("shop")).isTrue();
        source.letPass();

        assertThat(second.get()).isSameAs(first.get());
        assertThat(source.openings()).isEqualTo(1);
        assertThat(jobs.run("shop")).isNotSameAs(first.get());
        assertThat(source.openings()).isEqualTo(2);
        assertThat(events)
                .contains(
                        new LoadStarted("shop", RunKind.CONFIGURED, 1), new LoadStarted("shop", RunKind.CONFIGURED, 2));
        assertThat(jobs.plan("shop").source()).isSameAs(source);
        jobs.shutDown();
    }

    @Test
    void stoppedRunEndsWithAReportOfItsRows() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));
        CompletableFuture<LoadRun> result = jobs.start("shop");
        source.awaitOpened();

        assertThat(jobs.stop("shop")).isTrue();

        LoadRun run = result.get();
        assertThat(run.code()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.isComplete()).isFalse();
        assertThat(jobs.stop("shop")).isFalse();
        jobs.shutDown();
    }

    @Test
    void runBeyondItsDeadlineCountsAsStopped() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop", Duration.ofMillis(50), Duration.ZERO));

        LoadRun run = jobs.run("shop");

        assertThat(run.code()).isEqualTo(ExitCode.STOPPED);
        assertThat(run.report().ending()).isInstanceOf(Ending.Stopped.class);
        assertThat(run.report().ending().reason().orElseThrow())
                .contains("deadline=50 ms", "millrace.load.jobs.shop.deadline");
        jobs.shutDown();
    }

    @Test
    void loadThatCannotBeginIsARunWithItsFailure() {
        LoadJobs jobs = jobs(TestJobs.job("csv=/no/such/file.csv;key=c:{id};as=hash"));

        LoadRun run = jobs.run("shop");

        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.failure()).isPresent();
        assertThat(run.report().ending().reason().orElseThrow()).contains("/no/such/file.csv");
        jobs.shutDown();
    }

    @Test
    void requiredJobThatDoesNotCompleteFailsTheStartWithItsExitCode() {
        LoadJobs jobs = jobs(TestJobs.job("csv=/no/such/file.csv;key=c:{id};as=hash"));

        assertThatThrownBy(() -> jobs.runAtStart(jobs.jobs().getFirst()))
                .isInstanceOfSatisfying(FailedLoadException.class, failure -> {
                    assertThat(failure.getExitCode()).isEqualTo(2);
                    assertThat(failure).hasCause(failure.run().failure().orElseThrow());
                })
                .hasMessageStartingWith("The load job shop (millrace.load.jobs.shop.*) did not complete: ");
        jobs.shutDown();
    }

    @Test
    void missingColumnFailsTheStartWithTheKeyThatNamesIt() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop", "shop:{idd}"));

        assertThatThrownBy(() -> jobs.runAtStart(jobs.jobs().getFirst()))
                .hasMessageContaining("(millrace.load.jobs.shop.key)")
                .hasMessageContaining("column=idd")
                .hasMessageContaining("Did you mean 'id'?");
        jobs.shutDown();
    }

    @Test
    void jobThatIsNotRequiredDoesNotFailTheStart() {
        LoadJobs jobs = jobs(TestJobs.job("csv=/no/such/file.csv;key=c:{id};as=hash;required=false"));

        jobs.runAtStart(jobs.jobs().getFirst());

        assertThat(jobs.last("shop").orElseThrow().isComplete()).isFalse();
        jobs.shutDown();
    }

    @Test
    void rejectedRowsWithinTheLimitDoNotFailTheStart() {
        LoadJobs jobs = jobs(GatedSource.open(3).withRejectedRow().job("shop"));

        jobs.runAtStart(jobs.jobs().getFirst());

        assertThat(jobs.last("shop").orElseThrow().code()).isEqualTo(ExitCode.REJECTED);
        jobs.shutDown();
    }

    @Test
    void shutdownStopsRunsAndWaitsForTheirReports() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));
        CompletableFuture<LoadRun> result = jobs.start("shop");
        source.awaitOpened();

        jobs.shutDown();

        assertThat(jobs.last("shop").orElseThrow().code()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(events).last().isInstanceOf(LoadEnded.class);
        // The thread of the job completes the future of the caller after the event.
        assertThat(result.get()).isEqualTo(jobs.last("shop").orElseThrow());
        assertThatThrownBy(() -> jobs.start("shop"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shuts down");
    }

    /** Waits until rows are in flight. */
    private record InFlight(CountDownLatch reached) implements LoadObserver {

        @Override
        public Consumer<LoadEvent> listener(String job) {
            return event -> {
                if (event instanceof LoadEvent.Progress progress && progress.inFlight() > 0) {
                    reached.countDown();
                }
            };
        }

        @Override
        public void shared(LoadRun run) {}
    }

    @Test
    void rowsInFlightGetTheirRepliesBeforeTheShutdownEnds() throws Exception {
        GatedSource source = GatedSource.closed(1);
        InFlight inFlight = new InFlight(new CountDownLatch(1));
        LoadJobs jobs = jobs(List.of(inFlight), source.job("shop"));
        CompletableFuture<LoadRun> result = jobs.start("shop");
        source.awaitOpened();
        CompletableFuture<Void> shutdown = new CompletableFuture<>();

        server.pause();
        try {
            source.letPass();
            inFlight.reached.await();
            Thread.ofVirtual().start(() -> {
                jobs.shutDown();
                shutdown.complete(null);
            });
            assertThatThrownBy(() -> shutdown.get(500, TimeUnit.MILLISECONDS))
                    .as("the shutdown waits for the server")
                    .isInstanceOf(TimeoutException.class);
        } finally {
            server.resume();
        }

        shutdown.get(60, TimeUnit.SECONDS);
        assertThat(result.get().report().rows()).isEqualTo(new RowCounts(1, 1, 0, 0, 0));
    }

    @Test
    void interruptEndsTheWaitAndNotTheJob() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                LoadRun unused = jobs.run("shop");
            } catch (CancellationException interrupted) {
                thrown.set(interrupted);
            }
        });
        source.awaitOpened();

        waiting.interrupt();
        waiting.join();

        assertThat(thrown.get()).hasMessageContaining("job=shop");
        assertThat(jobs.isRunning("shop")).isTrue();
        source.letPass();
        assertThat(jobs.start("shop").get().isComplete()).isTrue();
        jobs.shutDown();
    }

    @Test
    void unknownJobIsRefusedWithTheNamesOfTheJobs() {
        LoadJobs jobs =
                jobs(GatedSource.open(1).job("shop"), GatedSource.open(1).job("prices"));

        assertThat(jobs.names()).containsExactly("shop", "prices");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> jobs.last("shops"))
                .withMessageContaining("jobs=[shop, prices]");
        jobs.shutDown();
    }

    @Test
    void shutdownBeforeThePortStartsNoFurtherJob() throws Exception {
        GatedSource first = GatedSource.closed(1);
        GatedSource second = GatedSource.open(1);
        LoadJobs jobs =
                jobs(first.job("a", LoadTrigger.BEFORE_PORT, false), second.job("b", LoadTrigger.BEFORE_PORT, true));
        CompletableFuture<Void> start = CompletableFuture.runAsync(new LoadLifecycle(jobs)::start);
        first.awaitOpened();

        jobs.shutDown();
        start.get(60, TimeUnit.SECONDS);

        assertThat(second.openings()).isZero();
    }

    @Test
    void jobsInTheBackgroundStartAfterTheJobsBeforeReady() throws Exception {
        LoadJobs jobs = jobs(
                GatedSource.open(1).job("a", LoadTrigger.BACKGROUND, false),
                GatedSource.open(1).job("b", LoadTrigger.BEFORE_READY, true));

        new StartUpLoads(jobs).run(new DefaultApplicationArguments());

        assertThat(events).first().isEqualTo(new LoadStarted("b", RunKind.CONFIGURED, 1));
        assertThat(jobs.start("a").get().isComplete()).isTrue();
        jobs.shutDown();
    }

    @Test
    void timesOfTheCronExpressionStartTheJobAgainAndAgain() throws Exception {
        CountDownLatch ended = new CountDownLatch(2);
        GatedSource source = GatedSource.open(1);
        LoadJobs jobs = new LoadJobs(
                List.of(source.job("shop", LoadTrigger.MANUAL, "* * * * * *")),
                new LoadJobs.JobEnvironment(
                        client,
                        client.options(),
                        LoadProperties.LEASE.defaultValue(),
                        event -> {
                            if (event instanceof LoadEnded) {
                                ended.countDown();
                            }
                        },
                        List.of()));

        new StartUpLoads(jobs).run(new DefaultApplicationArguments());

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        jobs.shutDown();
    }

    @Test
    void timeOfTheCronExpressionIsLeftOutWhileTheJobRuns() throws Exception {
        GatedSource source = GatedSource.closed(1);
        LoadJobs jobs = jobs(source.job("shop"));

        CompletableFuture<LoadRun> first = jobs.start("shop");
        source.awaitOpened();

        CronTimer timer = new CronTimer(jobs, "shop", CronExpression.parse("0 0 0 1 1 *"));

        assertThat(timer.tick()).isFalse();
        source.letPass();
        assertThat(first.get().isComplete()).isTrue();
        assertThat(source.openings()).isEqualTo(1);
        assertThat(timer.tick()).isTrue();
        jobs.shutDown();
    }
}
