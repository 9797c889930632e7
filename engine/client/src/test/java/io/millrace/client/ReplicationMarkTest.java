// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests of the marks between the commands of a bulk writer. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplicationMarkTest {

    private static final String INFO = "$24\r\nmaster_repl_offset:12345\r\n";
    private static final String MARK = "marked master_repl_offset:12345";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final Recorder recorder = new Recorder();

    /** Records what a writer reports, in its order. */
    private static final class Recorder implements ReplicationListener {

        final List<String> events = new ArrayList<>();

        @Override
        public ServerListener opened(String server) {
            events.add("opened");
            return new OfServer();
        }

        @Override
        public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
            events.add("unsent " + tag);
        }

        private final class OfServer implements ServerListener {

            @Override
            public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
                events.add(tag + " " + outcome.getClass().getSimpleName());
            }

            @Override
            public void marked(Outcome mark) {
                events.add(
                        mark instanceof Outcome.Ok(Reply.BulkString text)
                                ? "marked " + text.text().strip()
                                : "marked " + mark.getClass().getSimpleName());
            }

            @Override
            public void closed(boolean lost) {
                events.add(lost ? "closed after a loss" : "closed");
            }
        }
    }

    private static FakeRedis server(Answer toSet) {
        return FakeRedis.start(
                Handler.afterHandshake(command -> command.name().equals("INFO") ? Answer.reply(INFO) : toSet));
    }

    private BulkWriter writer(RedisClient client, BulkListener listener) {
        return client.bulkWriter(new BulkOptions(4, 1 << 20, WatchedClients.TIMEOUT, Fusion.NONE), listener);
    }

    private static void set(BulkWriter writer, long tag) {
        writer.begin(Strings.SET).arg("k").arg("v").end(tag);
    }

    @Test
    void firstMarkPrecedesAllCommandsAndIsNotCounted() {
        try (FakeRedis server = server(Answer.reply("+OK\r\n"));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options)) {
            CommandCounts counts;
            try (BulkWriter writer = writer(client, recorder)) {
                for (int i = 0; i < 2; i++) {
                    set(writer, i);
                }
                writer.finish();
                counts = writer.counts();
            }

            assertThat(recorder.events).startsWith("opened", MARK, "0 Ok").endsWith("1 Ok", "closed");
            assertThat(counts).isEqualTo(new CommandCounts(2, 2, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void otherListenersCauseNoMark() {
        try (FakeRedis server = server(Answer.reply("+OK\r\n"));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options);
                BulkWriter writer = writer(client, (tag, command, outcome) -> {})) {
            set(writer, 0);
            writer.finish();

            assertThat(server.commands()).noneMatch(command -> command.name().equals("INFO"));
        }
    }

    @Test
    void marksFollowTheCommandsInTheirOrder() {
        try (FakeRedis server = server(Answer.reply("+OK\r\n"));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options);
                BulkWriter writer = writer(client, recorder)) {
            int sent = 0;
            while (Collections.frequency(recorder.events, MARK) < 3 && !Thread.interrupted()) {
                set(writer, sent++);
            }
            writer.finish();

            assertThat(recorder.events.stream().filter(event -> event.endsWith(" Ok")))
                    .hasSize(sent);
            // The mark has the same place among the outcomes as among the commands.
            List<String> received = server.commands().stream()
                    .map(command -> command.name())
                    .filter(name -> name.equals("INFO") || name.equals("SET"))
                    .toList();
            List<String> reported = recorder.events.stream()
                    .skip(1)
                    .map(event -> event.equals(MARK) ? "INFO" : "SET")
                    .toList();
            assertThat(reported).isEqualTo(received);
        }
    }

    @Test
    void replyOfAReplicaCausesAMark() {
        try (FakeRedis server = server(Answer.reply("-READONLY You can't write against a read only replica.\r\n"));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options);
                BulkWriter writer = writer(client, recorder)) {
            set(writer, 0);
            writer.finish();

            assertThat(recorder.events).containsExactly("opened", MARK, "0 Failed", MARK);
        }
    }

    @Test
    void lostMarkIsReportedAndSoIsTheLoss() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.RESET)));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options)) {
            try (BulkWriter writer = writer(client, recorder)) {
                set(writer, 0);
                writer.finish();
            }

            assertThat(recorder.events).containsExactly("opened", "marked Lost", "0 Lost", "closed after a loss");
        }
    }

    @Test
    void fullWindowStillSendsMarks() {
        try (FakeRedis server = server(Answer.reply("+OK\r\n"));
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options);
                BulkWriter writer =
                        client.bulkWriter(new BulkOptions(1, 1 << 20, Duration.ofSeconds(30), Fusion.NONE), recorder)) {
            for (int i = 0; Collections.frequency(recorder.events, MARK) < 2 && !Thread.interrupted(); i++) {
                set(writer, i);
            }
            writer.finish();

            assertThat(recorder.events).noneMatch(event -> event.endsWith("Refused") || event.endsWith("TimedOut"));
        }
    }
}
