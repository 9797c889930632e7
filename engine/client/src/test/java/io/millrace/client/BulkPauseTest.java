// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a bulk writer waits while its server refuses all commands. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BulkPauseTest {

    private static final int COMMANDS = 100;
    private static final int IN_FLIGHT = 4;
    private static final String LOADING = "LOADING Redis is loading the dataset in memory";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** The names of the commands that the server received, in order. */
    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();

    private final List<Outcome> outcomes = new ArrayList<>();

    /** Starts a server that answers the requests from number 11 to number {@code last} with {@code error}. */
    private FakeRedis server(String error, int last) {
        return FakeRedis.start(Handler.afterHandshake(command -> {
            received.add(command.name());
            int number = received.size();
            return Answer.reply(number > 10 && number <= last ? "-" + error + "\r\n" : "+OK\r\n");
        }));
    }

    private void write(FakeRedis server, Duration timeout, int commands) {
        try (RedisClient client = clients.connect(WatchedClients.uri(server), options -> options.fusion(Fusion.NONE));
                BulkWriter writer = client.bulkWriter(
                        new BulkOptions(IN_FLIGHT, 1 << 20, timeout, Fusion.NONE),
                        (tag, command, outcome) -> outcomes.add(outcome))) {
            received.clear();
            for (int i = 0; i < commands; i++) {
                writer.begin(Strings.SET).arg("k").arg(i).end(i);
            }
            writer.finish();

            assertThat(writer.counts().submitted()).isEqualTo(commands);
            assertThat(writer.counts().pending()).isZero();
            assertThat(outcomes).hasSize(commands);
        }
    }

    private long refused() {
        return outcomes.stream().filter(Outcome.Failed.class::isInstance).count();
    }

    @ParameterizedTest
    @ValueSource(strings = {LOADING, "BUSY Redis is busy running a script", "MASTERDOWN Link with MASTER is down"})
    void commandsAfterARefusedWindowWaitUntilTheServerAcceptsCommands(String error) {
        try (FakeRedis server = server(error, 20)) {
            write(server, WatchedClients.TIMEOUT, COMMANDS);

            // The window, and the command that waits for a permit when the first refusal arrives.
            assertThat(refused()).isBetween(1L, IN_FLIGHT + 1L);
            assertThat(outcomes).hasSize(COMMANDS);
            // The refused window comes first, then only PING until one of them is accepted.
            List<String> names = List.copyOf(received);
            int first = names.indexOf("PING");
            int last = names.lastIndexOf("PING");
            assertThat(names.subList(first, last)).containsOnly("PING");
            assertThat(last).isEqualTo(20);
        }
    }

    @Test
    void commandsContinueAfterTheTimeoutAlthoughTheServerStillRefuses() {
        try (FakeRedis server = server(LOADING, Integer.MAX_VALUE)) {
            write(server, Duration.ofSeconds(1), 20);

            // On a slow machine, some commands may time out instead.
            assertThat(received).contains("PING");
            assertThat(refused()).isBetween(1L, 10L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READONLY You can't write against a read only replica.", "WRONGTYPE Operation"})
    void otherErrorsCauseNoPause(String error) {
        try (FakeRedis server = server(error, 20)) {
            write(server, WatchedClients.TIMEOUT, COMMANDS);

            assertThat(received).doesNotContain("PING");
            assertThat(refused()).isEqualTo(10);
        }
    }
}
