// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TimeoutEventTest {

    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final String KEY = "secret-key";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @TempDir
    Path directory;

    @Test
    void everyTimeoutEventContainsThePhaseButNotTheKeyOfTheCommand() throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE));
        Command<Optional<String>> get = Strings.get(KEY).within(LIMIT);
        BulkOptions bulk = new BulkOptions(3, 1 << 20, LIMIT);
        List<Outcome> ofBulk = new ArrayList<>();
        Path file = directory.resolve("timeouts.jfr");
        String endpoint;
        try (Recording recording = new Recording();
                FakeRedis server = FakeRedis.start(silent);
                RedisClient client = clients.connect(WatchedClients.uri(server), options -> options.inFlight(2))) {
            endpoint = server.host() + ":" + server.port();
            recording.start();

            assertThatThrownBy(() -> client.call(get))
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageStartingWith("GET timed out after 500 ms: endpoint=" + endpoint
                            + ", connection=1, phase=sent, inFlight=1, limit=2, ");
            Pipeline pipeline = client.pipeline();
            pipeline.add(get);
            pipeline.run();
            assertThatThrownBy(() -> client.call(get)).isInstanceOf(RefusedException.class);
            try (BulkWriter writer = client.bulkWriter(bulk, (tag, command, outcome) -> ofBulk.add(outcome))) {
                writer.begin(Strings.GET).arg(KEY);
                writer.end(1);
                writer.finish();
            }
            recording.dump(file);
        }

        assertThat(ofBulk).containsExactly(new Outcome.TimedOut());
        // A recording does not order the events of different threads by time, so the test sorts the events.
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace.Timeout"))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
        assertThat(events)
                .extracting(
                        event -> event.getString("connection"),
                        event -> event.getString("command"),
                        event -> event.getInt("commands"),
                        event -> event.getString("phase"),
                        event -> event.getInt("inFlight"),
                        event -> event.getInt("limit"))
                .containsExactly(
                        tuple("1", "GET", 1, "sent", 1, 2),
                        tuple("1", "GET", 1, "sent", 2, 2),
                        tuple("1", "GET", 1, "waiting for a permit", 2, 2),
                        tuple("bulk", "GET", 1, "sent", 1, 3));
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("endpoint")).isEqualTo(endpoint);
            assertThat(event.getLong("unsent")).isZero();
            assertThat(event.getDuration("lastReadAgo")).isGreaterThanOrEqualTo(LIMIT);
            assertThat(event.toString()).doesNotContain(KEY);
        });
    }

    @Test
    void exceptionOfATimedOutResultShowsTheStateOfTheConnectionAtTheTimeout() {
        Handler silent = Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE));
        Command<Optional<String>> get = Strings.get(KEY).within(LIMIT);
        try (FakeRedis server = FakeRedis.start(silent);
                RedisClient client = clients.connect(WatchedClients.uri(server))) {
            Pipeline pipeline = client.pipeline();
            Result<Optional<String>> result = pipeline.add(get);
            pipeline.run();
            Future<Optional<String>> later = client.send(Strings.get(KEY));

            assertThatThrownBy(result::value)
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageContaining("phase=sent, inFlight=1, ");
            assertThat(later).isNotDone();
        }
    }
}
