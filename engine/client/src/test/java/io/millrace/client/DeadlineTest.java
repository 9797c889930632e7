// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class DeadlineTest {

    private static final int TIMEOUTS = Integer.getInteger("millrace.timeouts", 200);
    private static final int CALLERS = 40;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final Handler SILENT = Handler.afterHandshake(command -> Answer.noReply());

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());

    /** The delays of all timeouts, and the scheduling delays of the machine, measured at the same time. */
    private record Delays(DelaySamples ofTimeouts, DelaySamples ofMachine) {}

    @Test
    void everyUnansweredCommandTimesOutButNotBeforeItsDeadline() throws Exception {
        DelaySamples ofTimeouts = timeOutAll().ofTimeouts;

        assertThat(ofTimeouts.count()).isEqualTo(TIMEOUTS);
        assertThat(ofTimeouts.least()).isGreaterThanOrEqualTo(Duration.ZERO);
    }

    /** The limit is 10 ms plus the scheduling delay of the machine. On an idle machine this delay is close to zero. */
    @Test
    @Tag("soak")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void nearlyAllTimeoutsAreAtMostTenMillisecondsLateOnAnIdleMachine() throws Exception {
        Delays delays = timeOutAll();

        assertThat(delays.ofTimeouts.count()).isEqualTo(TIMEOUTS);
        assertThat(delays.ofTimeouts.least()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(delays.ofTimeouts.percentile(99))
                .isLessThanOrEqualTo(Duration.ofMillis(10).plus(delays.ofMachine.percentile(99)));
    }

    private Delays timeOutAll() throws Exception {
        System.out.println("seed: " + seed);
        DelaySamples ofTimeouts = new DelaySamples();
        DelaySamples ofMachine;
        try (FakeRedis server = FakeRedis.start(SILENT);
                RedisClient client = connect(server.host(), server.port());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                MachineDelayProbe machine = new MachineDelayProbe()) {
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
        return new Delays(ofTimeouts, ofMachine);
    }

    private static void timeOut(RedisClient client, Random random, int count, DelaySamples delaySamples) {
        for (int i = 0; i < count; i++) {
            Duration limit = Duration.ofNanos(1_000_000 + random.nextInt(80_000_000));
            Command<String> ping = Server.ping().within(limit);
            long due = System.nanoTime() + limit.toNanos();
            CommandFate commandFate;
            if (random.nextBoolean()) {
                commandFate = CommandFate.of(
                        client.send(ping).whenComplete((pong, failure) -> delaySamples.add(System.nanoTime() - due)));
            } else {
                commandFate = CallMode.call(client, ping);
                delaySamples.add(System.nanoTime() - due);
            }
            assertThat(commandFate).isEqualTo(CommandFate.TIMED_OUT);
        }
    }

    @Test
    void commandTimesOutWhenTheClockReachesItsDeadlineAndNotBefore() {
        ManualClock clock = new ManualClock();
        try (FakeRedis server = FakeRedis.start(SILENT);
                RedisClient client = RedisClient.connect(
                        options(server.host(), server.port()).build(), new ClockAndRandom(clock, new Random(seed)))) {
            stats.watch("client", () -> StatsAdapter.of(client.counts()));
            List<CompletableFuture<String>> futures = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                futures.add(client.send(Server.ping().within(Duration.ofNanos(1_000_000_000L + 2L * i))));
            }
            clock.advance(Duration.ofSeconds(1));

            for (int i = 1; i <= 100; i++) {
                clock.advance(Duration.ofNanos(2));

                // The thread that times out this command also compares the deadline of the next command with the clock.
                assertThat(CommandFate.of(futures.get(i - 1))).isEqualTo(CommandFate.TIMED_OUT);
                assertThat(client.counts().timedOut()).isEqualTo(i);
                assertThat(futures.subList(i, 100)).noneMatch(CompletableFuture::isDone);
            }
        }
    }

    @Test
    void shortTimeoutOfOneCommandDoesNotCloseTheSharedConnection() throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port())) {
            network.faults(Faults.NONE.withDelay(Duration.ofMillis(30)));

            for (int i = 0; i < 10; i++) {
                CompletableFuture<String> withDefaultTimeout = client.send(Server.ping());
                CommandFate withShortTimeout =
                        CallMode.call(client, Server.ping().within(Duration.ofMillis(1)));

                assertThat(withShortTimeout).isEqualTo(CommandFate.TIMED_OUT);
                assertThat(withDefaultTimeout.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
            }

            assertThat(client.stats().reconnections()).isZero();
            assertThat(network.acceptedConnections()).isOne();
        }
    }

    @Test
    void timedOutCommandIsNotRepeatedEvenIfItIsIdempotent() {
        try (FakeRedis server = FakeRedis.start(
                        Handler.perConnection(SILENT, Handler.afterHandshake(command -> Answer.reply("$1\r\nv\r\n"))));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network.host(), network.port())) {
            CompletableFuture<?> waiting = client.send(Strings.get("waiting"));
            CommandFate first = CallMode.call(client, Strings.get("timed out").within(Duration.ofMillis(20)));

            network.disconnectAll(ConnectionEnd.RESET);

            assertThat(first).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(CommandFate.of(waiting)).isEqualTo(CommandFate.OK);
            assertThat(client.call(Strings.get("later"))).hasValue("v");
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("GET"))
                            .map(command -> command.connection() + " " + command.text(1)))
                    .containsExactly("0 waiting", "0 timed out", "1 waiting", "1 later");
        }
    }

    private RedisClient connect(String host, int port) {
        RedisClient client = RedisClient.connect(options(host, port).build());
        stats.watch("client", () -> StatsAdapter.of(client.counts()));
        return client;
    }

    private static ClientOptions.Builder options(String host, int port) {
        // This server never replies, so a command that timed out keeps its permit. The test needs a permit for each
        // timeout.
        return ClientOptions.builder(RedisUri.of(host, port))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .commandTimeout(TIMEOUT)
                .inFlight(Math.max(ClientOptions.IN_FLIGHT.defaultValue(), TIMEOUTS));
    }
}
