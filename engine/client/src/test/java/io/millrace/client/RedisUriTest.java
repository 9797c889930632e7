// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUriTest {

    @Test
    void everyPartIsRead() {
        RedisUri uri = RedisUri.parse("rediss://ada:p%40ss+w%3Aord@cache.example.org:7000/3");

        assertThat(uri)
                .isEqualTo(new RedisUri(
                        "cache.example.org", 7000, true, Optional.of("ada"), Optional.of("p@ss+w:ord"), 3));
    }

    @Test
    void whatIsMissingHasItsDefault() {
        assertThat(RedisUri.parse("redis://localhost")).isEqualTo(RedisUri.of("localhost", 6379));
        assertThat(RedisUri.parse("redis://:secret@localhost").password()).contains("secret");
        assertThat(RedisUri.parse("redis://secret@localhost").password()).contains("secret");
        assertThat(RedisUri.parse("redis://:secret@localhost").user()).isEmpty();
        assertThat(RedisUri.parse("redis://[::1]:6380").host()).isEqualTo("::1");
        assertThat(RedisUri.parse("redis://my_redis:6380")).isEqualTo(RedisUri.of("my_redis", 6380));
    }

    @Test
    void textShowsNeitherUserNorPassword() {
        assertThat(RedisUri.parse("redis://ada:secret@[::1]:1/2")).hasToString("redis://[::1]:1/2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:6379",
                "http://secret@localhost",
                "redis://",
                "redis://:secret@",
                "redis://x:secret@localhost:99999",
                "redis://secret@localhost/one",
                "redis://secret@localhost/1?timeout=1",
                "redis://secret@local host"
            })
    void whatIsNoRedisUriIsRefusedWithoutQuotingIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUri.parse(text))
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
    }
}
