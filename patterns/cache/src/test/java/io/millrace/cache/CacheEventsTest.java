// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Outcome;
import io.millrace.client.command.Lists;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheEventsTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void loadsAndErrorsAreRecordedWithoutKeysAndValues(@TempDir Path folder) throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        REDIS.client().call(Lists.pushLeft("texts:secret-list", "not a string"));
        Path file = folder.resolve("cache.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.millrace.CacheLoad").withoutThreshold();
            recording.enable("io.millrace.CacheError");
            recording.start();

            cache.get("secret-key", key -> "secret-value");
            assertThatThrownBy(() -> cache.get("secret-failure", key -> {
                        throw new IOException("secret-message");
                    }))
                    .isInstanceOf(LoadFailedException.class);
            cache.get("secret-list", key -> "secret-value");

            cache.close();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);

        assertThat(events).extracting(Object::toString).noneMatch(event -> event.contains("secret"));
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.millrace.CacheLoad"))
                .extracting(event -> event.getString("cache") + ": " + event.getString("failure"))
                .containsExactlyInAnyOrder("texts: ", "texts: java.io.IOException", "texts: ");
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.millrace.CacheError"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getString("step")).isEqualTo("read");
                    assertThat(event.getString("cause")).contains("WRONGTYPE");
                });
    }

    @Test
    void refusedWritesTimeoutsAndTheCircuitAreRecorded(@TempDir Path folder) throws Exception {
        CacheOptions.Builder options =
                RedisExtension.leased(Duration.ofSeconds(60)).loadTimeout(Duration.ofSeconds(1));
        Cache<String> cache = REDIS.cache(options);
        Cache<String> other = REDIS.cache(options);
        RedisCircuit circuit = new RedisCircuit("texts", System::nanoTime);
        Path file = folder.resolve("cache.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.millrace.CacheWriteRefused");
            recording.enable("io.millrace.CacheLoadTimeout");
            recording.enable("io.millrace.CacheCircuit");
            recording.start();

            cache.get("removed", key -> {
                other.remove(key);
                return "older";
            });
            Eventually.is("the write is refused", 1L, () -> cache.stats().refusedWrites());
            assertThatThrownBy(() -> cache.get("hung", key -> {
                        new CountDownLatch(1).await();
                        return key;
                    }))
                    .isInstanceOf(LoadTimedOutException.class);
            for (int failure = 0; failure < RedisCircuit.FAILURES; failure++) {
                circuit.ended(new Outcome.TimedOut());
            }
            circuit.succeeded();

            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> !event.getEventType().getName().equals("io.millrace.CacheLoad"))
                .extracting(event -> event.getEventType().getName() + " " + event.getString("cache"))
                .containsExactlyInAnyOrder(
                        "io.millrace.CacheWriteRefused texts",
                        "io.millrace.CacheLoadTimeout texts",
                        "io.millrace.CacheCircuit texts",
                        "io.millrace.CacheCircuit texts");
    }
}
