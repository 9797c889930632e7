// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Hashes;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests the two frequent events of writes. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WriteEventTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @TempDir
    Path directory;

    @Test
    void recordingThatStartsAfterTheClientContainsBatchesAndFusedBatches() throws Exception {
        Path file = directory.resolve("writes.jfr");
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(FusionReplies::to));
                RedisClient client = clients.connect(uri(server));
                Recording recording = new Recording()) {
            hashGets(client, 3);
            recording.enable("io.millrace.Batch");
            recording.enable("io.millrace.FusedBatch");
            recording.start();

            hashGets(client, 5);

            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(named("io.millrace.FusedBatch", events)).singleElement().satisfies(event -> {
            assertThat(event.getInt("commands")).isEqualTo(5);
            assertThat(event.getString("kind")).isEqualTo("HGET");
        });
        assertThat(named("io.millrace.Batch", events))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getLong("bytes")).isPositive());
    }

    private static void hashGets(RedisClient client, int count) {
        Pipeline pipeline = client.pipeline();
        IntStream.range(0, count).forEach(i -> pipeline.add(Hashes.get("h", "f" + i)));
        pipeline.run();
    }

    private static List<RecordedEvent> named(String name, List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }
}
