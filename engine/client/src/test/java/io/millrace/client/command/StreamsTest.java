// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import io.millrace.client.exception.ErrorReplyException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class StreamsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    StreamsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void entriesAreAddedReadAndDeleted() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("z", "1");
        fields.put("a", "2");

        assertThat(redis.run(Streams.add("s", "1-1", fields))).isEqualTo("1-1");
        assertThat(redis.run(Streams.add("s", "1-2", Map.of("f", "v")))).isEqualTo("1-2");
        String id = redis.run(Streams.add("s", Map.of("f", "w")));

        assertThat(id).matches("\\d{13,}-\\d+");
        assertThat(redis.run(Streams.size("s"))).isEqualTo(3);
        assertThat(redis.run(Streams.range("s", "-", "+", 2)))
                .containsExactly(new StreamEntry<>("1-1", fields), entry("1-2", "f", "v"));
        assertThat(redis.run(Streams.range("s", "-", "+", 2))
                        .getFirst()
                        .fields()
                        .keySet())
                .containsExactly("z", "a");
        assertThat(redis.run(Streams.delete("s", "1-2", "9-9"))).isEqualTo(1);
        assertThat(redis.run(Streams.range("s", "1-2", "+", 9))).containsExactly(entry(id, "f", "w"));
        assertThat(redis.run(Streams.range("none", "-", "+", 9))).isEmpty();
    }

    @Test
    void streamIsTrimmedByLengthOrByMinimumId() {
        for (int i = 1; i <= 10; i++) {
            redis.run(Streams.add("s", i + "-0", Map.of("f", "v")));
        }

        assertThat(redis.run(Streams.trim("s", TrimOptions.toLength(8).exactly())))
                .isEqualTo(2);
        assertThat(redis.run(Streams.trim("s", TrimOptions.from("5-0").exactly())))
                .isEqualTo(2);
        assertThat(redis.run(Streams.trim("s", TrimOptions.toLength(1)))).isZero();
        redis.run(Streams.add("s", TrimOptions.toLength(1).exactly(), Map.of("f", "v")));
        assertThat(redis.run(Streams.size("s"))).isEqualTo(1);
        redis.run(Streams.add("s", TrimOptions.toLength(1), Map.of("f", "v")));
        assertThat(redis.run(Streams.size("s"))).isEqualTo(2);
    }

    @Test
    void severalStreamsAreReadAfterTheGivenIds() {
        redis.run(Streams.add("s", "1-1", Map.of("f", "1")));
        redis.run(Streams.add("s", "1-2", Map.of("f", "2")));
        redis.run(Streams.add("t", "1-1", Map.of("f", "3")));

        assertThat(redis.run(Streams.read(
                        StreamRead.of("s", "0").and("t", "0").and("none", "0").limit(1))))
                .containsExactly(
                        Map.entry("s", List.of(entry("1-1", "f", "1"))),
                        Map.entry("t", List.of(entry("1-1", "f", "3"))));
        assertThat(redis.run(Streams.read(StreamRead.of("s", "1-1"))))
                .containsExactly(Map.entry("s", List.of(entry("1-2", "f", "2"))));
        assertThat(redis.run(Streams.read(StreamRead.of("s", "1-2")))).isEmpty();
        assertThat(redis.run(Streams.read(StreamRead.of("s", "$").waiting(Duration.ofMillis(1)))))
                .isEmpty();
    }

    @Test
    void groupDeliversEachEntryToOneConsumer() {
        assertThat(redis.run(Streams.createGroup("s", "g", "0"))).isEqualTo("OK");
        redis.run(Streams.add("s", "1-1", Map.of("f", "1")));
        redis.run(Streams.add("s", "1-2", Map.of("f", "2")));
        redis.run(Streams.add("s", "1-3", Map.of("f", "3")));

        assertThat(redis.run(
                        Streams.readGroup("g", "one", StreamRead.of("s", ">").limit(2))))
                .containsExactly(Map.entry("s", List.of(entry("1-1", "f", "1"), entry("1-2", "f", "2"))));
        assertThat(redis.run(Streams.readGroup("g", "two", StreamRead.of("s", ">"))))
                .containsExactly(Map.entry("s", List.of(entry("1-3", "f", "3"))));
        assertThat(redis.run(
                        Streams.readGroup("g", "two", StreamRead.of("s", ">").waiting(Duration.ofMillis(1)))))
                .isEmpty();
        assertThat(redis.run(Streams.acknowledge("s", "g", "1-1", "9-9"))).isEqualTo(1);
    }

    @Test
    void pendingEntryThatWasDeletedIsReadWithoutFields() {
        redis.run(Streams.createGroup("s", "g", "0"));
        redis.run(Streams.add("s", "1-1", Map.of("f", "1")));
        redis.run(Streams.readGroup("g", "c", StreamRead.of("s", ">")));
        redis.run(Streams.delete("s", "1-1"));

        assertThat(redis.run(Streams.readGroup("g", "c", StreamRead.of("s", "0"))))
                .containsExactly(Map.entry("s", List.of(new StreamEntry<>("1-1", Map.of()))));
    }

    @Test
    void existingGroupIsNotCreatedAgain() {
        redis.run(Streams.createGroup("s", "g", "$"));

        assertThat(catchThrowableOfType(ErrorReplyException.class, () -> redis.run(Streams.createGroup("s", "g", "$")))
                        .code())
                .isEqualTo("BUSYGROUP");
    }

    @Test
    void entriesAreReadFromTheNewestToTheOldest() {
        redis.run(Streams.add("s", "1-1", Map.of("f", "a")));
        redis.run(Streams.add("s", "1-2", Map.of("f", "b")));

        assertThat(redis.run(Streams.reverseRange("s", "-", "+", 9)))
                .containsExactly(
                        new StreamEntry<>("1-2", Map.of("f", "b")), new StreamEntry<>("1-1", Map.of("f", "a")));
        assertThat(redis.run(Streams.reverseRange("s", "-", "1-1", 9))).hasSize(1);
    }

    @Test
    void addIfPresentDoesNotCreateAStream() {
        assertThat(redis.run(Streams.addIfPresent("s", Map.of("f", "v")))).isEmpty();
        redis.run(Streams.add("s", "1-1", Map.of("f", "v")));

        assertThat(redis.run(Streams.addIfPresent("s", Map.of("f", "v")))).isPresent();
        assertThat(redis.run(Streams.size("s"))).isEqualTo(2);
    }

    private static StreamEntry<String> entry(String id, String field, String value) {
        return new StreamEntry<>(id, Map.of(field, value));
    }
}
