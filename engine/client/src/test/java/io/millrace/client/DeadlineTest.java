// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.internal.Surroundings;
import io.millrace.testkit.AccountCheck;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class DeadlineTest {

    private static final int TIMEOUTS = Integer.getInteger("millrace.timeouts", 2_000);
    private static final int CALLERS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Handler SILENT = Handler.afterHandshake(command -> Answer.nothing());

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final AccountCheck accounts = new AccountCheck();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());

    /** What the machine itself is late meanwhile is measured beside, and allowed for: on an idle one that is next to nothing. */
    @Test
    void deadlinesAreNeverEarlyAndAlmostAllAreMetWithinTenMilliseconds() throws Exception {
        System.out.println("seed: " + seed);
        Lateness ofTimeouts = new Lateness();
        Lateness ofMachine;
        try (FakeRedis server = FakeRedis.start(SILENT);
                RedisClient client = connect(server.host(), server.port());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                MachineLateness machine = new MachineLateness()) {
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(seed + caller);
                callers.add(executor.submit(() -> timeOut(client, random, TIMEOUTS / CALLERS, ofTimeouts)));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
            ofMachine = machine.stop();
            assertThat(client.counts())
                    .isEqualTo(new CommandCounts(ofTimeouts.count(), 0, 0, ofTimeouts.count(), 0, 0, 0));
        }
        System.out.println("timeouts: " + ofTimeouts + "; the machine: " + ofMachine);

        assertThat(ofTimeouts.count()).isEqualTo(TIMEOUTS);
        assertThat(ofTimeouts.least()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(ofTimeouts.percentile(99))
                .isLessThanOrEqualTo(Duration.ofMillis(10).plus(ofMachine.percentile(99)));
    }

    private static void timeOut(RedisClient client, Random random, int count, Lateness lateness) {
        for (int i = 0; i < count; i++) {
            Duration limit = Duration.ofNanos(1_000_000 + random.nextInt(80_000_000));
            Command<String> ping = Server.ping().within(limit);
            long due = System.nanoTime() + limit.toNanos();
            Fate fate;
            if (random.nextBoolean()) {
                fate = Fate.of(
                        client.send(ping).whenComplete((pong, failure) -> lateness.add(System.nanoTime() - due)));
            } else {
                fate = Way.call(client, ping);
                lateness.add(System.nanoTime() - due);
            }
            assertThat(fate).isEqualTo(Fate.TIMED_OUT);
        }
    }

    @Test
    void nothingTimesOutBeforeTheClockSaysSo() {
        ManualClock clock = new ManualClock();
        try (FakeRedis server = FakeRedis.start(SILENT);
                RedisClient client = RedisClient.connect(
                        options(server.host(), server.port()).build(), new Surroundings(clock, new Random(seed)))) {
            accounts.watch("client", () -> AccountFigures.of(client.counts()));
            List<CompletableFuture<String>> futures = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                futures.add(client.send(Server.ping().within(Duration.ofNanos(1_000_000_000L + 2L * i))));
            }
            clock.advance(Duration.ofSeconds(1));

            for (int i = 1; i <= 100; i++) {
                clock.advance(Duration.ofNanos(2));

                // Whoever looked at the clock to end this one looked at the next one, too.
                assertThat(Fate.of(futures.get(i - 1))).isEqualTo(Fate.TIMED_OUT);
                assertThat(client.counts().timedOut()).isEqualTo(i);
                assertThat(futures.subList(i, 100)).noneMatch(CompletableFuture::isDone);
            }
        }
    }

    @Test
    void anImpatientCommandDoesNotEndTheConnectionOfAllOthers() throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port())) {
            network.faults(Faults.NONE.withDelay(Duration.ofMillis(30)));

            for (int i = 0; i < 10; i++) {
                CompletableFuture<String> patient = client.send(Server.ping());
                Fate impatient = Way.call(client, Server.ping().within(Duration.ofMillis(1)));

                assertThat(impatient).isEqualTo(Fate.TIMED_OUT);
                assertThat(patient.get(10, TimeUnit.SECONDS)).isEqualTo("PONG");
            }

            assertThat(client.account().reconnections()).isZero();
            assertThat(network.acceptedConnections()).isOne();
        }
    }

    @Test
    void whatTimedOutIsNeverSentAgainEvenIfItMayBe() {
        try (FakeRedis server = FakeRedis.start(
                        Handler.inTurn(SILENT, Handler.afterHandshake(command -> Answer.reply("$1\r\nv\r\n"))));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port())) {
            CompletableFuture<?> waiting = client.send(Strings.get("waiting"));
            Fate first = Way.call(client, Strings.get("timed out").within(Duration.ofMillis(20)));

            network.disconnectAll(Ending.RESET);

            assertThat(first).isEqualTo(Fate.TIMED_OUT);
            assertThat(Fate.of(waiting)).isEqualTo(Fate.OK);
            assertThat(client.call(Strings.get("later"))).hasValue("v");
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("GET"))
                            .map(command -> command.connection() + " " + command.text(1)))
                    .containsExactly("0 waiting", "0 timed out", "1 waiting", "1 later");
        }
    }

    private RedisClient connect(String host, int port) {
        RedisClient client = RedisClient.connect(options(host, port).build());
        accounts.watch("client", () -> AccountFigures.of(client.counts()));
        return client;
    }

    private static ClientOptions.Builder options(String host, int port) {
        // What has timed out keeps its place, for this server answers nothing.
        return ClientOptions.builder(RedisUri.of(host, port))
                .connections(1)
                .commandTimeout(PATIENCE)
                .inFlight(Math.max(4_096, TIMEOUTS));
    }
}
