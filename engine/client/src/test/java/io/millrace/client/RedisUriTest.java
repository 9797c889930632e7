// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUriTest {

    @Test
    void everyPartOfAUriIsParsed() {
        RedisUri uri = RedisUri.parse("rediss://ada:p%40ss+w%3Aord@cache.example.org:7000/3");

        assertThat(uri)
                .isEqualTo(RedisUri.of("cache.example.org", 7000)
                        .withTls()
                        .withLogin("ada", "p@ss+w:ord")
                        .withDatabase(3));
    }

    @Test
    void missingPartsOfAUriHaveDefaults() {
        assertThat(RedisUri.parse("redis://localhost")).isEqualTo(RedisUri.of("localhost", 6379));
        assertThat(RedisUri.parse("redis://:secret@localhost").password()).contains("secret");
        assertThat(RedisUri.parse("redis://secret@localhost").password()).contains("secret");
        assertThat(RedisUri.parse("redis://:secret@localhost").user()).isEmpty();
        assertThat(RedisUri.parse("redis://[::1]:6380")).isEqualTo(RedisUri.of("::1", 6380));
        assertThat(RedisUri.parse("redis://my_redis:6380")).isEqualTo(RedisUri.of("my_redis", 6380));
    }

    @Test
    void uriOfAUnixSocketContainsThePathOfTheSocket() {
        assertThat(RedisUri.parse("unix:///run/my%20redis.sock"))
                .isEqualTo(RedisUri.unix(Path.of("/run/my redis.sock")));
        assertThat(RedisUri.parse("unix://ada:secret@/run/redis.sock?db=4"))
                .isEqualTo(RedisUri.unix(Path.of("/run/redis.sock"))
                        .withLogin("ada", "secret")
                        .withDatabase(4))
                .hasToString("unix:///run/redis.sock?db=4");
        assertThatThrownBy(() -> RedisUri.parse("unix://host/run/redis.sock"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisUri.unix(Path.of("/run/redis.sock")).withTls())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void schemesOfValkeyMeanTheSameAsTheSchemesOfRedis() {
        assertThat(RedisUri.parse("valkey://ada:secret@cache/3"))
                .isEqualTo(RedisUri.parse("redis://ada:secret@cache/3"));
        assertThat(RedisUri.parse("valkeys://cache:7000")).isEqualTo(RedisUri.parse("rediss://cache:7000"));
    }

    @Test
    void zoneOfAnIpv6AddressIsParsedAndWritten() {
        RedisUri uri = RedisUri.parse("redis://[fe80::1%25eth0]:6380");

        assertThat(uri).isEqualTo(RedisUri.of("fe80::1%eth0", 6380)).hasToString("redis://[fe80::1%25eth0]:6380");
        assertThat(RedisUri.parse("redis://[fe80::1%eth0]")).isEqualTo(RedisUri.of("fe80::1%eth0", 6379));
        assertThat(RedisUri.parse(uri.toString())).isEqualTo(uri);
    }

    @Test
    void uriOfAClusterHasTheAddressesOfItsSeeds() {
        RedisUri uri = RedisUri.parse("rediss-cluster://ada:secret@s1:7000,[::1]:7001,s3");

        assertThat(uri)
                .isEqualTo(RedisUri.cluster(List.of(
                                new RedisUri.Tcp("s1", 7000),
                                new RedisUri.Tcp("::1", 7001),
                                new RedisUri.Tcp("s3", 6379)))
                        .withTls()
                        .withLogin("ada", "secret"))
                .hasToString("rediss-cluster://s1:7000,[::1]:7001,s3:6379");
        assertThat(RedisUri.parse("valkey-cluster://s1")).isEqualTo(RedisUri.parse("redis-cluster://s1:6379"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"redis-cluster://", "redis-cluster://s1,,s2", "redis-cluster://s1:0", "redis-cluster://s1/3"})
    void malformedUriOfAClusterIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RedisUri.parse(text));
    }

    @Test
    void uriOfSentinelsHasTheirAddressesAndTheNameOfThePrimary() {
        RedisUri uri = RedisUri.parse("redis-sentinel://ada:secret@s1:5000,[::1],s3/2#my%20primary");

        assertThat(uri)
                .isEqualTo(RedisUri.sentinels(
                                List.of(
                                        new RedisUri.Tcp("s1", 5_000),
                                        new RedisUri.Tcp("::1", 26_379),
                                        new RedisUri.Tcp("s3", 26_379)),
                                "my primary")
                        .withLogin("ada", "secret")
                        .withDatabase(2))
                .hasToString("redis-sentinel://s1:5000,[::1]:26379,s3:26379/2#my%20primary");
        assertThat(RedisUri.parse("valkeys-sentinel://s1#shop"))
                .isEqualTo(RedisUri.parse("rediss-sentinel://s1:26379/0#shop"))
                .satisfies(parsed -> assertThat(parsed.tls()).isTrue())
                .hasToString("rediss-sentinel://s1:26379/0#shop");
        assertThat(RedisUri.parse(uri.toString()).withLogin("ada", "secret")).isEqualTo(uri);
    }

    @Test
    void loginOfSentinelsIsNotInTheText() {
        RedisUri uri = RedisUri.parse("redis-sentinel://s1#shop").withSentinelLogin(Credentials.of("eve", "secret"));

        assertThat(uri).hasToString("redis-sentinel://s1:26379/0#shop");
        assertThat(uri.endpoint().toString()).doesNotContain("secret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUri.parse("redis://s1").withSentinelLogin(Credentials.ofPassword("secret")))
                .withMessage("redis://s1:6379 names no Sentinels");
    }

    @ParameterizedTest
    @CsvSource({
        "redis-sentinel://s1:26379, the name of the primary is missing",
        "redis-sentinel://s1:26379/0#, the name of the primary is missing",
        "redis-sentinel://secret@/0#shop, the host is missing",
        "'redis-sentinel://s1,,s2/0#shop', the host is missing",
        "'redis-sentinel://s1,s2:secret/0#shop', the port must be a number",
        "'redis-sentinel://s1, s2/0#shop', the address contains a blank",
        "redis-sentinel://s1/0?a=b#shop, nothing may follow the database number",
        "redis-sentinel://s1/x#shop, the database must be a number"
    })
    void invalidUriOfSentinelsIsRejectedWithTheReason(String text, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUri.parse(text))
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix:foo", "unix:foo?db=1", "unix:///"})
    void unixUriWithoutAnAbsolutePathIsRejectedWithTheExpectedForm(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUri.parse(text))
                .withMessageContaining("unix:///run/redis.sock");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:foo",
                "rediss:secret@host",
                "redis:/path",
                "redis://[::1",
                "redis://[]",
                "redis://[::1]x:1"
            })
    void uriWithoutAHostIsRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RedisUri.parse(text));
    }

    @Test
    void textOfAUriContainsNeitherUserNorPassword() {
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
    void exceptionForAnInvalidUriDoesNotContainThePassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUri.parse(text))
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
    }
}
