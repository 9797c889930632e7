// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Lists;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
}
