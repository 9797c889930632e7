// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import io.millrace.client.exception.ErrorReplyException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class KeysTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    KeysTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void keysAreCountedRenamedAndDeleted() {
        redis.run(Strings.setAll(Map.of("a", "1", "b", "2", "c", "3")));

        assertThat(redis.run(Keys.exist("a", "a", "none"))).isEqualTo(2);
        assertThat(redis.run(Keys.rename("a", "d"))).isEqualTo("OK");
        assertThat(redis.run(Keys.delete("a", "b"))).isEqualTo(1);
        assertThat(redis.run(Keys.unlink("c", "d"))).isEqualTo(2);
        assertThat(redis.run(Server.size())).isZero();
        assertThatThrownBy(() -> redis.run(Keys.rename("none", "x")))
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("no such key");
    }

    @Test
    void missingKeyIsDistinguishedFromAKeyWithoutExpiry() {
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(Keys.timeToLive("none"))).isEqualTo(new TimeToLive.NoKey());
        assertThat(redis.run(Keys.timeToLive("k"))).isEqualTo(new TimeToLive.Unlimited());
        assertThat(redis.run(Keys.expire("none", Duration.ofSeconds(1)))).isFalse();
        assertThat(redis.run(Keys.expire("k", Duration.ofDays(36_500)))).isTrue();
        assertThat(redis.run(Keys.timeToLive("k")))
                .isInstanceOfSatisfying(
                        TimeToLive.Expires.class,
                        expires ->
                                assertThat(expires.left()).isBetween(Duration.ofDays(36_499), Duration.ofDays(36_500)));
        assertThat(redis.run(Keys.persist("k"))).isTrue();
        assertThat(redis.run(Keys.persist("k"))).isFalse();
    }

    @Test
    void typeEncodingAndMemoryUsageOfAKeyAreReturned() {
        redis.run(Strings.set("n", "12"));
        redis.run(Sets.add("s", "member"));

        assertThat(redis.run(Keys.type("n"))).isEqualTo("string");
        assertThat(redis.run(Keys.type("s"))).isEqualTo("set");
        assertThat(redis.run(Keys.type("none"))).isEqualTo("none");
        assertThat(redis.run(Keys.encoding("n"))).hasValue("int");
        assertThat(redis.run(Keys.encoding("none"))).isEmpty();
        assertThat(redis.run(Keys.memoryUsage("s")))
                .hasValueSatisfying(bytes -> assertThat(bytes).isPositive());
        assertThat(redis.run(Keys.memoryUsage("none"))).isEmpty();
    }

    @Test
    void scanFindsEveryKey() {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            values.put("user:" + i, "v");
        }
        redis.run(Strings.setAll(values));
        redis.run(Strings.set("other", "v"));

        TreeSet<String> found = new TreeSet<>();
        int pages = 0;
        String cursor = ScanPage.START;
        do {
            ScanPage<List<String>> page = redis.run(
                    Keys.scan(cursor, ScanOptions.DEFAULT.withMatch("user:*").withCount(100)));
            found.addAll(page.found());
            cursor = page.cursor();
            pages++;
            assertThat(page.last()).isEqualTo(cursor.equals("0"));
        } while (!cursor.equals(ScanPage.START));

        assertThat(found).containsExactlyInAnyOrderElementsOf(values.keySet());
        assertThat(pages).isBetween(5, 20);
    }

    @Test
    void dumpOfAKeyIsRestoredAndCanReplaceAnExistingKey() {
        redis.run(Hashes.set("h", "f", "v"));
        byte[] payload = redis.run(Keys.dump("h")).orElseThrow();

        assertThat(redis.run(Keys.dump("none"))).isEmpty();
        assertThat(redis.run(Keys.restore("copy", payload))).isEqualTo("OK");
        assertThat(catchThrowableOfType(ErrorReplyException.class, () -> redis.run(Keys.restore("copy", payload)))
                        .code())
                .isEqualTo("BUSYKEY");
        redis.run(Hashes.set("copy", "g", "w"));
        assertThat(redis.run(Keys.replace("copy", payload))).isEqualTo("OK");
        assertThat(redis.run(Hashes.getAll("copy"))).containsExactly(Map.entry("f", "v"));
    }

    @Test
    void existingKeyIsNotOverwrittenByRenameIfAbsentAndCopy() {
        redis.run(Strings.setAll(Map.of("a", "1", "b", "2")));

        assertThat(redis.run(Keys.renameIfAbsent("a", "b"))).isFalse();
        assertThat(redis.run(Keys.copy("a", "b"))).isFalse();
        assertThat(redis.run(Strings.get("b"))).hasValue("2");
        assertThat(redis.run(Keys.copyReplacing("a", "b"))).isTrue();
        assertThat(redis.run(Strings.get("b"))).hasValue("1");
        assertThat(redis.run(Keys.copy("none", "c"))).isFalse();
        assertThat(redis.run(Keys.renameIfAbsent("a", "c"))).isTrue();
        assertThat(redis.run(Keys.exist("a", "b", "c"))).isEqualTo(2);
    }

    @Test
    void idleTimeOfAKeyIsReadAndEndedByTouch() {
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(Keys.touch("k", "none"))).isEqualTo(1);
        assertThat(redis.run(Keys.idleTime("k")).orElseThrow()).isLessThan(Duration.ofMinutes(10));
        assertThat(redis.run(Keys.idleTime("none"))).isEmpty();
    }

    @Test
    void randomKeyIsAnExistingKey() {
        assertThat(redis.run(Keys.random())).isEmpty();
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(Keys.random())).hasValue("k");
    }

    @Test
    void restoredKeyHasTheExpiryOfTheCommand() {
        redis.run(Strings.set("k", "v"));
        byte[] payload = redis.run(Keys.dump("k")).orElseThrow();

        redis.run(Keys.restore("copy", payload, Duration.ofDays(2)));
        redis.run(Keys.replace("k", payload, Duration.ofDays(4)));

        assertThat(redis.run(KeyExpiry.expiryTime("copy")).orElseThrow())
                .isBetween(Instant.now().plus(Duration.ofDays(1)), Instant.now().plus(Duration.ofDays(3)));
        assertThat(redis.run(KeyExpiry.expiryTime("k")).orElseThrow())
                .isBetween(Instant.now().plus(Duration.ofDays(3)), Instant.now().plus(Duration.ofDays(5)));
    }
}
