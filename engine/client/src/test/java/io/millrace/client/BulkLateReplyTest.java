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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests replies to commands of a bulk writer that have already timed out. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BulkLateReplyTest {

    private static final Duration LIMIT = Duration.ofMillis(300);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @TempDir
    Path directory;

    private final CountDownLatch released = new CountDownLatch(1);

    @Test
    void lateReplyIsCountedAndRecordedAsAnEvent() throws Exception {
        Path file = directory.resolve("late.jfr");
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+OK\r\n").heldUntil(released)));
                RedisClient client = clients.connect(WatchedClients.uri(server));
                Recording recording = new Recording()) {
            recording.start();
            try (BulkWriter writer = client.bulkWriter(withFusion(Fusion.NONE), (tag, command, outcome) -> {})) {
                set(writer, 2);

                long before = client.stats().lateReplies();
                released.countDown();

                Eventually.await(
                        "the late replies are counted", () -> client.stats().lateReplies() == 2);
                assertThat(before).isZero();
                assertThat(writer.counts()).isEqualTo(new CommandCounts(2, 0, 0, 2, 0, 0, 0));
            }
            assertThat(client.stats().lateReplies()).as("after the close").isEqualTo(2);
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace.LateReply"))
                .toList();
        assertThat(events).hasSize(2).allSatisfy(event -> {
            assertThat(event.getString("connection")).isEqualTo("bulk");
            assertThat(event.getDuration("afterDeadline")).isBetween(Duration.ZERO, WatchedClients.TIMEOUT);
        });
    }

    @Test
    void lateReplyToAFusedCommandCountsForEachOfItsCommands() {
        int commands = 60; // a pause of this thread splits the batch, so some commands are sent alone
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+OK\r\n").heldUntil(released)));
                RedisClient client = clients.connect(WatchedClients.uri(server));
                BulkWriter writer = client.bulkWriter(withFusion(Set.of(Fusion.SET)), (tag, command, outcome) -> {})) {
            set(writer, commands);

            released.countDown();

            Eventually.await(
                    "the late replies are counted", () -> client.stats().lateReplies() == commands);
            assertThat(writer.fusion().commands())
                    .as("commands sent as part of a fused one")
                    .isPositive();
            assertThat(writer.counts()).isEqualTo(new CommandCounts(commands, 0, 0, commands, 0, 0, 0));
        }
    }

    private static BulkOptions withFusion(Set<Fusion> kinds) {
        return new BulkOptions(64, 1 << 20, LIMIT, kinds);
    }

    private static void set(BulkWriter writer, int commands) {
        for (int i = 0; i < commands; i++) {
            writer.begin(Strings.SET).arg("k" + i).arg("v");
            writer.end(i);
        }
        writer.finish();
    }
}
