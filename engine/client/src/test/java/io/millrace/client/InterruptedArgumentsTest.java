// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that was interrupted may change its arguments, also if its command is sent later. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class InterruptedArgumentsTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    enum Way {
        CALL,
        PIPELINE,
        TRANSACTION;

        void run(RedisClient client, Command<String> command) {
            switch (this) {
                case CALL -> client.call(command);
                case PIPELINE -> {
                    Pipeline pipeline = client.pipeline();
                    pipeline.add(command);
                    pipeline.run();
                }
                case TRANSACTION -> {
                    Transaction transaction = client.transaction();
                    transaction.add(command);
                    transaction.run();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void commandThatIsSentAfterAnInterruptHasTheArgumentsFromBeforeTheInterrupt(Way way) throws Exception {
        Handler answering = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        try (FakeRedis server = FakeRedis.start(answering);
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)))) {
            network.refuseConnections(RefusalMode.CLOSED_PORT);
            network.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the loss is noticed", () -> !client.isOpen());
            byte[] value = new byte[100];
            Arrays.fill(value, (byte) 'a');

            Throwable thrown = interruptedWhileInFlight(way, client, Command.of(Strings.SET, "k", value));
            Arrays.fill(value, (byte) 'b');
            network.acceptConnections();
            Eventually.await("the command is sent", () -> sets(server).size() == 1);

            assertThat(thrown).isInstanceOf(InterruptedCommandException.class);
            assertThat(sets(server).getFirst().text(2)).isEqualTo("a".repeat(100));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CALL", "PIPELINE"})
    void commandThatIsSentAgainAfterAnInterruptHasTheArgumentsFromBeforeTheInterrupt(Way way) throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.noReply());
        Handler answering = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(silent, answering));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)))) {
            byte[] value = {'a'};

            Throwable thrown = interruptedWhileInFlight(
                    way, client, Command.of(Strings.SET, "k", value).idempotently());
            Eventually.await("the command is sent", () -> sets(server).size() == 1);
            value[0] = 'b';
            network.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the command is sent again", () -> sets(server).size() == 2);

            assertThat(thrown).isInstanceOf(InterruptedCommandException.class);
            assertThat(sets(server).getLast().text(2)).isEqualTo("a");
        }
    }

    /** Interrupts the caller of {@code command} while it waits for the reply. Returns the exception of the caller. */
    private static Throwable interruptedWhileInFlight(Way way, RedisClient client, Command<String> command)
            throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().start(() -> thrown.set(catchThrowable(() -> way.run(client, command))));
        Eventually.await("the command is submitted", () -> client.counts().submitted() == 1);
        Eventually.await(
                "the command has its permit",
                () -> client.stats().connections().getFirst().inFlight() == 1);
        caller.interrupt();
        caller.join();
        return thrown.get();
    }

    private static List<ReceivedCommand> sets(FakeRedis server) {
        return server.commands().stream()
                .filter(command -> command.name().equals("SET"))
                .toList();
    }
}
