// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class HashesTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    HashesTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void fieldsAreSetReadAndDeleted() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("c", "3");
        fields.put("a", "1");
        fields.put("b", "2");

        assertThat(redis.run(Hashes.set("h", fields))).isEqualTo(3);
        assertThat(redis.run(Hashes.set("h", "a", "one"))).isZero();
        assertThat(redis.run(Hashes.get("h", "a"))).hasValue("one");
        assertThat(redis.run(Hashes.get("h", "none"))).isEmpty();
        assertThat(redis.run(Hashes.getEach("h", "b", "none", "c")))
                .containsExactly(Optional.of("2"), Optional.empty(), Optional.of("3"));
        assertThat(redis.run(Hashes.getAll("h")))
                .containsExactly(Map.entry("c", "3"), Map.entry("a", "one"), Map.entry("b", "2"));
        assertThat(redis.run(Hashes.delete("h", "a", "none"))).isEqualTo(1);
        assertThat(redis.run(Hashes.contains("h", "a"))).isFalse();
        assertThat(redis.run(Hashes.contains("h", "b"))).isTrue();
    }

    @Test
    void fieldsAndValuesAreListed() {
        redis.run(Hashes.set("h", "b", "1"));
        redis.run(Hashes.set("h", "a", "1"));

        assertThat(redis.run(Hashes.size("h"))).isEqualTo(2);
        assertThat(redis.run(Hashes.fields("h"))).containsExactly("b", "a");
        assertThat(redis.run(Hashes.values("h"))).containsExactly("1", "1");
        assertThat(redis.run(Hashes.getAll("none"))).isEmpty();
        assertThat(redis.run(Hashes.size("none"))).isZero();
    }

    @Test
    void fieldCanBeIncrementedAndDecremented() {
        assertThat(redis.run(Hashes.increment("h", "n", 7))).isEqualTo(7);
        assertThat(redis.run(Hashes.increment("h", "n", -9))).isEqualTo(-2);
    }

    @Test
    void scanFindsEveryField() {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < 1_000; i++) {
            fields.put("f" + i, "v" + i);
        }
        redis.run(Hashes.set("h", fields));

        Map<String, String> found = new LinkedHashMap<>();
        String cursor = ScanPage.START;
        do {
            ScanPage<Map<String, String>> page = redis.run(Hashes.scan("h", cursor, ScanOptions.DEFAULT.withCount(50)));
            found.putAll(page.found());
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));

        assertThat(found).isEqualTo(fields);
        assertThat(redis.run(Hashes.scan("h", ScanPage.START, new ScanOptions("f77", 1_000_000)))
                        .found())
                .containsExactly(Map.entry("f77", "v77"));
    }

    @Test
    void existingFieldIsNotOverwrittenBySetIfAbsent() {
        assertThat(redis.run(Hashes.setIfAbsent("h", "f", "first"))).isTrue();
        assertThat(redis.run(Hashes.setIfAbsent("h", "f", "second"))).isFalse();
        assertThat(redis.run(Hashes.get("h", "f"))).hasValue("first");
        assertThat(redis.run(Hashes.length("h", "f"))).isEqualTo(5);
        assertThat(redis.run(Hashes.length("h", "none"))).isZero();
    }

    @Test
    void fieldCanBeIncrementedByARealNumber() {
        assertThat(redis.run(Hashes.incrementReal("h", "n", 1.25))).isEqualTo(1.25);
        assertThat(redis.run(Hashes.incrementReal("h", "n", -2))).isEqualTo(-0.75);
    }

    @Test
    void randomFieldsAreReadWithTheirValues() {
        assertThat(redis.run(Hashes.random("h"))).isEmpty();
        assertThat(redis.run(Hashes.random("h", 2))).isEmpty();
        redis.run(Hashes.set("h", Map.of("a", "1", "b", "2")));

        assertThat(redis.run(Hashes.random("h")).orElseThrow()).isIn("a", "b");
        assertThat(redis.run(Hashes.random("h", 9))).containsOnly(Map.entry("a", "1"), Map.entry("b", "2"));
        assertThat(redis.run(Hashes.random("h", 1))).hasSize(1);
    }
}
