// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadReportJson;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the instances of a fleet load once. Each instance has its own client. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FleetLoadTest {

    private static final Duration ONCE_PER = Duration.ofHours(1);
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final String LEASE_KEY = "millrace:load:{shop}:lease";
    private static final String REPORT_KEY = "millrace:load:{shop}:report";

    private static EmbeddedRedis server;

    private final List<LoadJobs> instances = new ArrayList<>();
    private final List<RedisClient> clients = new ArrayList<>();
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
        instances.forEach(LoadJobs::shutDown);
        clients.forEach(RedisClient::close);
        client.close();
    }

    private LoadJobs instance(LoadJob job) {
        return instance(job, RedisClient.connect(ClientOptions.of(RedisUri.parse(server.uri()))));
    }

    private LoadJobs instance(LoadJob job, RedisClient own) {
        clients.add(own);
        LoadJobs jobs = new LoadJobs(
                List.of(job), new LoadJobs.JobEnvironment(own, own.options(), LEASE, event -> {}, List.of()));
        instances.add(jobs);
        return jobs;
    }

    private boolean exists(String key) {
        return client.call(Keys.exist(key)) == 1;
    }

    private static LoadJob job(GatedSource source) {
        return source.job("shop", Duration.ofMinutes(5), ONCE_PER);
    }

    @Test
    void oneInstanceLoadsAndTheOthersGetItsReport() throws Exception {
        GatedSource source = GatedSource.closed(100);
        CompletableFuture<LoadRun> loader = instance(job(source)).start("shop");
        source.awaitOpened();
        List<CompletableFuture<LoadRun>> others = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            others.add(instance(job(source)).start("shop"));
        }

        source.letPass();

        LoadRun own = loader.get();
        assertThat(own.shared()).isFalse();
        for (CompletableFuture<LoadRun> other : others) {
            assertThat(other.get().shared()).isTrue();
            assertThat(other.get().report().rows()).isEqualTo(own.report().rows());
            assertThat(other.get().report().job()).isEqualTo(own.report().job());
        }
        assertThat(source.openings()).isEqualTo(1);
        assertThat(exists(LEASE_KEY)).isFalse();
        assertThat(client.call(Keys.timeToLive(REPORT_KEY)).toString()).contains("Expires");
    }

    @Test
    void instanceThatStartsLaterDoesNotLoadAgain() {
        GatedSource source = GatedSource.open(3);
        assertThat(instance(job(source)).run("shop").shared()).isFalse();

        LoadRun later = instance(job(source)).run("shop");

        assertThat(later.shared()).isTrue();
        assertThat(later.isComplete()).isTrue();
        assertThat(source.openings()).isEqualTo(1);
    }

    @Test
    void anotherPlanLoadsAnew() {
        GatedSource source = GatedSource.open(3);
        LoadJob first = job(source);
        LoadJob second = new LoadJob(
                first.name(),
                first.plan(),
                "another digest",
                first.trigger(),
                true,
                first.deadline(),
                first.cron(),
                first.oncePer());

        assertThat(instance(first).run("shop").shared()).isFalse();
        assertThat(instance(second).run("shop").shared()).isFalse();
        assertThat(source.openings()).isEqualTo(2);
    }

    @Test
    void failedLoadIsNotSharedAndTheNextInstanceLoads() {
        LoadRun failed = instance(TestJobs.job("csv=/no/such.csv;key=shop:{id};as=hash;once-per=1h"))
                .run("shop");

        assertThat(failed.code()).isEqualTo(ExitCode.USAGE);
        assertThat(exists(LEASE_KEY)).isFalse();
        assertThat(exists(REPORT_KEY)).isFalse();
        assertThat(instance(job(GatedSource.open(2))).run("shop").shared()).isFalse();
    }

    @Test
    void leaseOfALoaderThatDiedEndsAndAnotherInstanceLoads() {
        client.call(Strings.set(LEASE_KEY, "a loader that died"));
        client.call(Keys.expire(LEASE_KEY, LEASE));

        LoadRun run = instance(job(GatedSource.open(2))).run("shop");

        assertThat(run.shared()).isFalse();
        assertThat(run.isComplete()).isTrue();
    }

    @Test
    void loaderRenewsItsLeaseWhileItLoads() throws Exception {
        GatedSource source = GatedSource.closed(2);
        CompletableFuture<LoadRun> loader = instance(job(source)).start("shop");
        source.awaitOpened();
        CompletableFuture<LoadRun> other = instance(job(source)).start("shop");

        // The lease would have ended twice.
        awaitRenewals(LEASE.multipliedBy(2));
        source.letPass();

        assertThat(loader.get().shared()).isFalse();
        assertThat(other.get().shared()).isTrue();
        assertThat(source.openings()).isEqualTo(1);
    }

    private void awaitRenewals(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            assertThat(exists(LEASE_KEY)).isTrue();
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Test
    void loaderThatHasLostItsLeaseStopsAndWaitsForTheReport() throws Exception {
        GatedSource source = GatedSource.closed(2);
        CompletableFuture<LoadRun> loader = instance(job(source)).start("shop");
        source.awaitOpened();

        // Another instance takes the lease, loads, and stores its report.
        client.call(Strings.set(LEASE_KEY, "another loader"));
        while (!source.wasCancelled()) {
            Thread.onSpinWait();
        }
        LoadRun done = LoadRun.of(
                "shop",
                RunKind.CONFIGURED,
                instance(GatedSource.open(2).job("shop")).run("shop").report());
        client.call(Hashes.set(REPORT_KEY, Map.of("plan", "digest", "report", LoadReportJson.of(done.report()))));

        assertThat(loader.get().shared()).isTrue();
        assertThat(loader.get().report().rows().written()).isEqualTo(2);
    }

    @Test
    void loaderThatWasPausedUntilAnotherInstanceHadLoadedGetsItsReport() throws Exception {
        GatedSource source = GatedSource.closed(2);
        CompletableFuture<LoadRun> loader = instance(job(source)).start("shop");
        source.awaitOpened();
        LoadRun done = LoadRun.of(
                "shop",
                RunKind.CONFIGURED,
                instance(GatedSource.open(3).job("shop")).run("shop").report());

        // The lease has ended, and another instance has taken it, has loaded and has released it.
        client.call(Hashes.set(REPORT_KEY, Map.of("plan", "digest", "report", LoadReportJson.of(done.report()))));
        client.call(Keys.delete(LEASE_KEY));
        while (!source.wasCancelled()) {
            assertThat(exists(LEASE_KEY)).isFalse();
        }

        assertThat(loader.get().shared()).isTrue();
        assertThat(loader.get().report().rows().written()).isEqualTo(3);
    }

    @Test
    void serverThatLosesTheLeaseGetsItAgain() throws Exception {
        GatedSource source = GatedSource.closed(2);
        CompletableFuture<LoadRun> loader = instance(job(source)).start("shop");
        source.awaitOpened();

        client.call(Server.flush());
        while (!exists(LEASE_KEY)) {
            Thread.onSpinWait();
        }
        source.letPass();

        assertThat(loader.get().isComplete()).isTrue();
        assertThat(exists(REPORT_KEY)).isTrue();
    }

    @Test
    void fullWindowOfTheClientDoesNotDelayTheTimerOfTheJobs() throws Exception {
        RedisClient small = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                .connections(1)
                .inFlight(1)
                .overflow(Overflow.BLOCK)
                .commandTimeout(Duration.ofSeconds(60))
                .build());
        GatedSource source = GatedSource.closed(2);
        LoadJobs jobs = instance(job(source), small);
        CompletableFuture<LoadRun> loader = jobs.start("shop");
        source.awaitOpened();
        CountDownLatch ticked = new CountDownLatch(1);

        server.pause();
        try {
            Thread.ofVirtual().start(() -> {
                var unused = small.send(Server.ping()); // fills the window
            });
            // Later than a renewal of the lease, which finds the window full.
            var unused = jobs.timer().schedule(ticked::countDown, LEASE.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(ticked.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.resume();
        }

        source.letPass();
        assertThat(loader.get().isComplete()).isTrue();
    }

    @Test
    void permanentErrorReplyEndsTheRun() {
        client.call(Strings.set(REPORT_KEY, "not a hash"));

        LoadRun run = instance(GatedSource.open(2).job("shop", Duration.ofMinutes(1), ONCE_PER))
                .run("shop");

        assertThat(run.isComplete()).isFalse();
        assertThat(run.failure()).containsInstanceOf(ErrorReplyException.class);
        assertThat(run.report().ending().reason().orElseThrow()).contains("WRONGTYPE");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            READONLY You can't write against a read only replica.                     | READONLY
            @user_script: 4: -READONLY You can't write against a read only replica.   | READONLY
            @user_script: 12: -OOM command not allowed when used memory > 'maxmemory' | OOM
            @user_script: 4: Unknown Redis command called from Lua script             | @user_script:
            WRONGTYPE Operation against a key - READONLY                              | WRONGTYPE
            """)
    void errorOfAScriptHasTheCodeOfItsCommandInAllVersionsOfRedis(String error, String code) {
        Script script = Script.of(FleetLease.WITH_CODE_FIRST + "return with_code_first({err = ARGV[1]})");

        assertThatThrownBy(() -> client.call(Scripts.run(script, List.of(), List.of(error))))
                .isInstanceOfSatisfying(
                        ErrorReplyException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }

    @Test
    void serverThatAcceptsNoWritesForATimeIsWaitedFor() throws Exception {
        client.call(Server.setConfig("min-replicas-to-write", "1"));
        CompletableFuture<LoadRun> run;
        try {
            run = instance(job(GatedSource.open(2))).start("shop");
            while (!client.call(Server.info("errorstats")).contains("NOREPLICAS")) {
                LockSupport.parkNanos(1_000_000);
            }
        } finally {
            client.call(Server.setConfig("min-replicas-to-write", "0"));
        }

        assertThat(run.get(60, TimeUnit.SECONDS).isComplete()).isTrue();
    }

    @Test
    void reportOfAStartWithoutTheServerHasTheLastError() {
        RedisClient away = RedisClient.connect(ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                .commandTimeout(Duration.ofMillis(200))
                .connectLater(true)
                .build());
        clients.add(away);
        LoadJobs jobs = new LoadJobs(
                List.of(GatedSource.open(2).job("shop", Duration.ofMillis(300), ONCE_PER)),
                new LoadJobs.JobEnvironment(away, away.options(), LEASE, event -> {}, List.of()));
        instances.add(jobs);

        LoadRun run = jobs.run("shop");

        assertThat(run.code()).isEqualTo(ExitCode.STOPPED);
        assertThat(run.report().ending().reason().orElseThrow())
                .contains("deadline=300 ms")
                .contains("Last failure:");
    }

    @Test
    void waitForAnotherInstanceEndsWithTheDeadline() {
        client.call(Strings.set(LEASE_KEY, "a loader that never ends"));

        LoadRun run = instance(GatedSource.open(2).job("shop", Duration.ofMillis(600), ONCE_PER))
                .run("shop");

        assertThat(run.code()).isEqualTo(ExitCode.STOPPED);
        assertThat(run.report().ending().reason().orElseThrow()).contains("deadline=600 ms");
    }
}
