// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadReport;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests starts that change the options of a job or refuse to join, and the abandoning of a run. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ChangedLoadTest {

    private final List<LoadEvent> seen = new CopyOnWriteArrayList<>();
    private final List<Object> events = new CopyOnWriteArrayList<>();
    private EmbeddedRedis server;
    private RedisClient client;

    @BeforeEach
    void startServer() {
        server = EmbeddedRedis.start();
        client = RedisClient.connect(RedisUri.parse(server.uri()));
    }

    @AfterEach
    void stopServer() {
        client.close();
        server.close();
    }

    private static LoadOptions dryRun(LoadOptions options) {
        return LoadOptions.builder().dryRun().build();
    }

    private static LoadOptions limited(LoadOptions options) {
        return LoadOptions.builder().limit(1).build();
    }

    private LoadJobs jobs(LoadJob job) {
        LoadObserver observer = name -> seen::add;
        return new LoadJobs(
                List.of(job),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        LoadProperties.LEASE.defaultValue(),
                        events::add,
                        List.of(observer)));
    }

    @Test
    void changedOptionsHoldForOneRun() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop"));

        LoadRun dry =
                jobs.tryStart("shop", ChangedLoadTest::dryRun).orElseThrow().join();
        LoadRun whole = jobs.run("shop");

        assertThat(dry.report().job().kind()).isEqualTo(LoadReport.Job.Kind.DRY_RUN);
        assertThat(whole.report().job().kind()).isEqualTo(LoadReport.Job.Kind.LOAD);
        assertThat(jobs.view("shop").running()).isFalse();
        assertThat(seen).hasAtLeastOneElementOfType(LoadEvent.Finished.class);
        jobs.shutDown();
    }

    @Test
    void runWithChangedOptionsIsNoRunOfTheWholeJob() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop"));

        LoadRun limited =
                jobs.tryStart("shop", ChangedLoadTest::limited).orElseThrow().join();

        assertThat(limited.kind()).isEqualTo(RunKind.CHANGED);
        assertThat(limited.report().rows().written()).isEqualTo(1);
        assertThat(events).containsExactly(new LoadStarted("shop", RunKind.CHANGED, 1), new LoadEnded(limited, 1));
        assertThat(jobs.last("shop")).isEmpty();
        assertThat(jobs.view("shop").last()).isNull();
        assertThat(jobs.view("shop").lastChanged())
                .extracting(LoadView.RunView::kind)
                .isEqualTo("changed");
        jobs.shutDown();
    }

    @Test
    void runWithChangedOptionsDoesNotHideTheLastRun() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop"));
        LoadRun whole = jobs.run("shop");

        LoadRun dry =
                jobs.tryStart("shop", ChangedLoadTest::dryRun).orElseThrow().join();

        assertThat(whole.kind()).isEqualTo(RunKind.CONFIGURED);
        assertThat(dry.kind()).isEqualTo(RunKind.DRY_RUN);
        assertThat(jobs.last("shop")).containsSame(whole);
        assertThat(jobs.view("shop").lastChanged())
                .extracting(LoadView.RunView::kind)
                .isEqualTo("dry-run");
        jobs.shutDown();
    }

    @Test
    void runWithEqualOptionsIsARunOfTheJob() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop"));

        LoadRun run =
                jobs.tryStart("shop", UnaryOperator.identity()).orElseThrow().join();

        assertThat(run.kind()).isEqualTo(RunKind.CONFIGURED);
        assertThat(jobs.last("shop")).containsSame(run);
        jobs.shutDown();
    }

    @Test
    void startOfTheApplicationLoadsAfterARunWithChangedOptions() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));
        CompletableFuture<LoadRun> limited =
                jobs.tryStart("shop", ChangedLoadTest::limited).orElseThrow();
        source.awaitOpened();

        Thread start =
                Thread.ofPlatform().start(() -> jobs.runAtStart(jobs.jobs().getFirst()));
        while (start.getState() != Thread.State.TIMED_WAITING) {
            LockSupport.parkNanos(1_000_000);
        }
        source.letPass();
        start.join();

        assertThat(limited.join().kind()).isEqualTo(RunKind.CHANGED);
        assertThat(jobs.last("shop").orElseThrow().report().rows().written()).isEqualTo(3);
        jobs.shutDown();
    }

    @Test
    void runningJobIsNotJoined() {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));

        CompletableFuture<LoadRun> first =
                jobs.tryStart("shop", UnaryOperator.identity()).orElseThrow();
        assertThat(jobs.tryStart("shop", UnaryOperator.identity())).isEmpty();
        source.letPass();

        assertThat(first.join().isComplete()).isTrue();
        jobs.shutDown();
        assertThatThrownBy(() -> jobs.tryStart("shop", UnaryOperator.identity()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void changedLoadOfAFleetLeavesNoReport() {
        LoadJobs jobs = jobs(GatedSource.open(3).job("shop", Duration.ofHours(1), Duration.ofHours(1)));

        LoadRun dry =
                jobs.tryStart("shop", ChangedLoadTest::dryRun).orElseThrow().join();

        assertThat(dry.shared()).isFalse();
        assertThat(client.call(Keys.exist("millrace:load:{shop}:report"))).isZero();
        assertThat(jobs.run("shop").report().rows().written()).isEqualTo(3);
        assertThat(client.call(Keys.exist("millrace:load:{shop}:report"))).isEqualTo(1);
        jobs.shutDown();
    }

    @Test
    void abandonedRunEnds() throws Exception {
        GatedSource source = GatedSource.closed(3);
        LoadJobs jobs = jobs(source.job("shop"));
        assertThat(jobs.abandon("shop")).isFalse();
        CompletableFuture<LoadRun> run = jobs.start("shop");
        source.awaitOpened();

        assertThat(jobs.abandon("shop")).isTrue();

        assertThat(run.join().isComplete()).isFalse();
        jobs.shutDown();
    }
}
