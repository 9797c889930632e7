// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests when the lease of a fleet is renewed, and what a late renewal does. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FleetLeaseTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration ONCE_PER = Duration.ofHours(1);
    private static final String LEASE_KEY = "millrace:load:{shop}:lease";

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
        client.call(Server.flush());
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private static LoadJob job(GatedSource source) {
        return source.job("shop", Duration.ofMinutes(5), ONCE_PER);
    }

    @Test
    void leaseIsRenewedWhileOtherThreadsOccupyAllCarriers() throws Exception {
        GatedSource source = GatedSource.closed(2);
        LoadJobs jobs = new LoadJobs(
                List.of(job(source)),
                new LoadJobs.JobEnvironment(client, client.options(), LEASE, event -> {}, List.of()));
        AtomicBoolean mayEnd = new AtomicBoolean();
        List<Thread> computing = new ArrayList<>();
        CompletableFuture<LoadRun> run = jobs.start("shop");
        source.awaitOpened();

        boolean leaseEnded;
        try {
            computing.addAll(occupyAllCarriers(mayEnd));
            leaseEnded = Polling.until(() -> client.call(Keys.exist(LEASE_KEY)) == 0, LEASE.multipliedBy(2));
        } finally {
            mayEnd.set(true);
            source.letPass();
        }
        for (Thread thread : computing) {
            thread.join();
        }

        assertThat(leaseEnded).isFalse();
        assertThat(run.get(60, TimeUnit.SECONDS).isComplete()).isTrue();
        jobs.shutDown();
    }

    private static List<Thread> occupyAllCarriers(AtomicBoolean mayEnd) {
        int carriers = Runtime.getRuntime().availableProcessors();
        AtomicInteger running = new AtomicInteger();
        List<Thread> computing = new ArrayList<>();
        for (int i = 0; i < carriers; i++) {
            computing.add(Thread.startVirtualThread(() -> {
                running.incrementAndGet();
                while (!mayEnd.get()) {
                    Thread.onSpinWait();
                }
            }));
        }
        assertThat(Polling.until(() -> running.get() == carriers, Duration.ofSeconds(60)))
                .isTrue();
        return computing;
    }

    @Test
    void renewalThatArrivesAfterTheReleaseTakesNoLease() {
        FleetLease lease = new FleetLease(job(GatedSource.open(1)), LEASE);
        assertThat(client.call(lease.claim())).isEqualTo(new FleetLease.Claim.Held());
        assertThat(client.call(lease.renew())).isEqualTo(FleetLease.Renewal.RENEWED);
        assertThat(client.call(lease.release())).isTrue();

        FleetLease.Renewal late = client.call(lease.renew());

        assertThat(late).isEqualTo(FleetLease.Renewal.MISSING);
        assertThat(client.call(Keys.exist(LEASE_KEY))).isZero();
    }

    @Test
    void leaseOfAnotherInstanceIsNotRenewed() {
        FleetLease own = new FleetLease(job(GatedSource.open(1)), LEASE);
        FleetLease other = new FleetLease(job(GatedSource.open(1)), LEASE);
        assertThat(client.call(other.claim())).isEqualTo(new FleetLease.Claim.Held());

        FleetLease.Renewal renewal = client.call(own.renew());

        assertThat(renewal).isEqualTo(FleetLease.Renewal.OF_ANOTHER);
        assertThat(client.call(own.claim())).isEqualTo(new FleetLease.Claim.Taken());
    }
}
