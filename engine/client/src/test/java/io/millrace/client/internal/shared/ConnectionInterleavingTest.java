// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionStats;
import io.millrace.client.Credentials;
import io.millrace.client.CredentialsProvider;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.LoginRenewal;
import io.millrace.client.internal.connect.ServerRole;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.fusion.FusionDecision;
import io.millrace.client.internal.io.MemoryRedis;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the threads of a whole shared connection in thousands of schedules: callers, writer, reader, timekeeper and
 * completing threads. A schedule is a random interleaving of the threads, generated from a seed.
 */
class ConnectionInterleavingTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);

    private static final CredentialsProvider UNCHANGED = Credentials::none;

    @ParameterizedTest
    @ValueSource(classes = {WaitingCallers.class, LoneCaller.class, NarrowWindow.class, Futures.class, Pipelines.class})
    void everyCommandHasItsReplyAndNoThreadIsWokenOnlyByTheClock(Class<? extends InterleavingScenario> scenario) {
        explore(scenario);
    }

    @Test
    void everyCommandHasOneOutcomeIfTheConnectionIsLost() {
        explore(LostConnection.class);
    }

    @Test
    void lastLoginUsesTheNewestPassword() {
        explore(RenewedLogin.class);
    }

    private static void explore(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario)
                .instrumenting("io.millrace.client.internal")
                .withoutPlainAccess()
                .withSteadyTime()
                .explore(SCHEDULES);
    }

    /** Three callers wait for their replies. They send together and wake each other. */
    static class WaitingCallers implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Fixture fixture = new Fixture(schedule, MemoryRedis.nonBlocking(schedule, 1 << 16), 16);
            for (int i = 0; i < 3; i++) {
                int caller = i;
                fixture.caller(() -> {
                    for (int j = 0; j < 3; j++) {
                        fixture.call(caller + "-" + j);
                    }
                });
            }
            fixture.end(9);
        }
    }

    /** A single caller reads its own replies, until other callers submit commands. */
    static class LoneCaller implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Fixture fixture = new Fixture(schedule, MemoryRedis.nonBlocking(schedule, 1 << 16), 16);
            fixture.caller(() -> {
                for (int i = 0; i < 9; i++) {
                    fixture.call("lone-" + i);
                }
                for (int i = 0; i < 2; i++) {
                    fixture.caller(
                            () -> fixture.call("other-" + Thread.currentThread().getName()));
                }
                for (int i = 9; i < 12; i++) {
                    fixture.call("lone-" + i);
                }
                assertThat(fixture.send("sent").get()).isEqualTo("sent");
            });
            fixture.end(15);
        }
    }

    /** The window has one permit, and the transport accepts few bytes at a time. */
    static class NarrowWindow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Fixture fixture = new Fixture(schedule, MemoryRedis.nonBlocking(schedule, 20), 1);
            for (int i = 0; i < 3; i++) {
                int caller = i;
                fixture.caller(() -> {
                    CompletableFuture<String> sent = fixture.send(caller + "-sent");
                    fixture.call(caller + "-called");
                    assertThat(sent.get()).isEqualTo(caller + "-sent");
                });
            }
            fixture.end(6);
        }
    }

    /** Dependents of futures send further commands and wait for them. One callback at a time may run. */
    static class Futures implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Fixture fixture = new Fixture(schedule, MemoryRedis.nonBlocking(schedule, 1 << 16), 4);
            for (int i = 0; i < 3; i++) {
                int caller = i;
                fixture.caller(() -> {
                    CompletableFuture<String> first = fixture.send(caller + "-first")
                            .thenApply(reply -> {
                                fixture.call(caller + "-dependent");
                                return reply;
                            });
                    assertThat(first.get()).isEqualTo(caller + "-first");
                });
            }
            fixture.end(6);
        }
    }

    /** A pipeline of three batches and a single command share a window of two commands. */
    static class Pipelines implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            Fixture fixture = new Fixture(schedule, MemoryRedis.nonBlocking(schedule, 1 << 16), 2);
            fixture.caller(() -> {
                Pipeline pipeline = new ConnectionPipeline(fixture.connection, fixture.options, null);
                List<Result<String>> results = IntStream.range(0, 6)
                        .mapToObj(i -> pipeline.add(Server.echo("pipeline-" + i)))
                        .toList();
                pipeline.run();
                for (int i = 0; i < 6; i++) {
                    assertThat(results.get(i).value()).isEqualTo("pipeline-" + i);
                }
            });
            fixture.caller(() -> fixture.call("single"));
            fixture.end(7);
        }
    }

    /** The server ends the connection after a random number of commands. */
    static class LostConnection implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            MemoryRedis server = MemoryRedis.closingAfter(
                    schedule.random().nextInt(7), schedule, schedule.random().nextInt(20, 80));
            Fixture fixture = new Fixture(
                    schedule, server, schedule.random().nextInt(1, 4), ConnectionStats.Kind.DEDICATED, UNCHANGED);
            AtomicInteger answered = new AtomicInteger();
            AtomicInteger neverSent = new AtomicInteger();
            for (int i = 0; i < 3; i++) {
                int caller = i;
                fixture.caller(() -> {
                    CompletableFuture<String> sent = fixture.send(caller + "-sent");
                    count(() -> fixture.call(caller + "-called"), answered, neverSent);
                    count(() -> assertThat(join(sent)).isEqualTo(caller + "-sent"), answered, neverSent);
                });
            }
            fixture.join();

            CommandCounts counts = fixture.connection.stats().counts();
            assertThat(counts).isEqualTo(new CommandCounts(6, answered.get(), 0, 0, 0, 6 - answered.get(), 0));
            assertThat(server.executed()).isBetween(answered.get(), 6 - neverSent.get());
            schedule.outcome(answered + " answered");
        }

        private static String join(CompletableFuture<String> sent) {
            try {
                return sent.join();
            } catch (CompletionException e) {
                throw (ConnectionLostException) e.getCause();
            }
        }

        private static void count(Runnable command, AtomicInteger answered, AtomicInteger neverSent) {
            try {
                command.run();
                answered.incrementAndGet();
            } catch (ConnectionLostException e) {
                neverSent.addAndGet(e.maybeExecuted() ? 0 : 1);
            }
        }
    }

    /** The credentials change twice. At the same time, a few commands are sent. The last login must use the newest password. */
    static class RenewedLogin implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            AtomicInteger asked = new AtomicInteger();
            MemoryRedis server = MemoryRedis.nonBlocking(schedule, 1 << 16);
            Fixture fixture = new Fixture(
                    schedule,
                    server,
                    16,
                    ConnectionStats.Kind.SHARED,
                    () -> Credentials.ofPassword("secret-" + asked.incrementAndGet()));
            fixture.caller(fixture::renewLogin);
            fixture.caller(fixture::renewLogin);
            for (int i = schedule.random().nextInt(3); i > 0; i--) {
                fixture.caller(() -> fixture.call("called"));
            }
            fixture.join();

            assertThat(server.passwords()).endsWith("secret-2").doesNotHaveDuplicates();
            schedule.outcome(server.passwords().size() + " logins");
        }
    }

    /** A shared connection to a server in memory. */
    private static final class Fixture {

        private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);

        final SharedConnection connection;
        final ClientOptions options;
        private final Schedule schedule;
        private final MemoryRedis server;
        private final ConnectionContext context;
        private final FutureCompleter futureCompleter;
        private final List<Thread> callers = new ArrayList<>();

        Fixture(Schedule schedule, MemoryRedis server, int inFlight) {
            this(schedule, server, inFlight, ConnectionStats.Kind.SHARED, UNCHANGED);
        }

        Fixture(
                Schedule schedule,
                MemoryRedis server,
                int inFlight,
                ConnectionStats.Kind kind,
                CredentialsProvider credentials) {
            this.schedule = schedule;
            this.server = server;
            this.options = ClientOptions.builder(RedisUri.of("localhost", 6379))
                    .credentials(credentials)
                    .inFlight(inFlight)
                    .build();
            // The lambda calls the clock of the schedule; a method reference would call the clock of the JDK.
            ClockAndRandom clockAndRandom = new ClockAndRandom(() -> System.nanoTime(), schedule.random());
            this.context = new ConnectionContext(
                    options,
                    new Login(options),
                    clockAndRandom,
                    new Timekeeper(clockAndRandom.clock()),
                    new FusibleKinds.RefusedKinds(),
                    push -> {},
                    null,
                    () -> {});
            this.futureCompleter = new FutureCompleter(context.timekeeper(), 1);
            this.connection = new SharedConnection(
                    context,
                    "1",
                    kind,
                    new HandshakeResult(server, FusionDecision.NONE, true, 0, ServerRole.PRIMARY, null));
        }

        /** Starts a platform thread. */
        void caller(Schedule.Body body) {
            callers.add(schedule.platformThread("caller " + callers.size(), body));
        }

        void call(String token) {
            long now = System.nanoTime();
            PendingCall<String> call = new PendingCall<>(Server.echo(token), now, now + TIMEOUT, null);
            connection.submit(call);
            assertThat(Calls.await(call)).isEqualTo(token);
        }

        CompletableFuture<String> send(String token) {
            long now = System.nanoTime();
            CompletableFuture<String> future = new CompletableFuture<>();
            connection.submit(new PendingCall<>(
                    Server.echo(token), now, now + TIMEOUT, new FutureCompletion<>(future, futureCompleter)));
            return future;
        }

        void renewLogin() {
            new LoginRenewal(context.login(), options, context.clockAndRandom().clock()).run();
        }

        /** Waits for the callers, and checks that every command was answered without a wait for a deadline. */
        void end(int commands) throws InterruptedException {
            joinCallers();
            assertThat(schedule.timeLeaps()).as("time leaps").isZero();
            join();
            assertThat(connection.stats().counts()).isEqualTo(new CommandCounts(commands, commands, 0, 0, 0, 0, 0));
            assertThat(server.executed()).isEqualTo(commands);
        }

        /** Waits for the callers, and closes the connection. */
        void join() throws InterruptedException {
            joinCallers();
            connection.close();
            context.timekeeper().close();
            schedule.join();
        }

        private void joinCallers() throws InterruptedException {
            for (int i = 0; i < callers.size(); i++) {
                callers.get(i).join();
            }
        }
    }
}
