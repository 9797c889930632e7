// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands for the server, the connection, channels, transactions and scripts. */
@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class ServerTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final int protocol;
    private final RawConnection redis;

    ServerTest(int protocol) {
        this.protocol = protocol;
        this.redis = SERVER.connect(protocol);
    }

    @Test
    void commandsAboutTheServerReturnTheExpectedValues() {
        Instant before = Instant.now().minusSeconds(1);

        assertThat(redis.run(Server.ping())).isEqualTo("PONG");
        assertThat(redis.run(Server.echo("größer"))).isEqualTo("größer");
        assertThat(redis.run(Server.time())).isBetween(before, Instant.now().plusSeconds(1));
        assertThat(redis.run(Server.info())).contains("redis_version:", "# Keyspace");
        assertThat(redis.run(Server.info("cpu"))).contains("used_cpu_user:").doesNotContain("redis_version:");
        assertThat(redis.run(Server.awaitReplicas(1, Duration.ofMillis(1)))).isZero();
    }

    @Test
    void keysAreCountedAndFlushed() {
        redis.run(Strings.setAll(Map.of("a", "1", "b", "2")));

        assertThat(redis.run(Server.size())).isEqualTo(2);
        assertThat(redis.run(Server.flush())).isEqualTo("OK");
        assertThat(redis.run(Server.size())).isZero();
    }

    @Test
    void settingsOfTheServerAreReadAndChanged() {
        String before = redis.run(Server.config("hash-max-listpack-entries")).get("hash-max-listpack-entries");

        assertThat(redis.run(Server.setConfig("hash-max-listpack-entries", "77")))
                .isEqualTo("OK");
        assertThat(redis.run(Server.config("hash-max-listpack-e*")))
                .containsExactly(Map.entry("hash-max-listpack-entries", "77"));
        assertThat(redis.run(Server.config("no-such-setting"))).isEmpty();
        redis.run(Server.setConfig("hash-max-listpack-entries", String.valueOf(before)));
    }

    @Test
    void eachConnectionHasItsOwnClientId() {
        assertThat(redis.run(Server.clientId())).isPositive().isEqualTo(redis.run(Server.clientId()));
        assertThat(SERVER.another(protocol).run(Server.clientId())).isNotEqualTo(redis.run(Server.clientId()));
    }

    @Test
    void publishWithoutSubscribersReturnsZero() {
        assertThat(redis.run(PubSub.publish("channel", "message"))).isZero();
    }

    @Test
    void keysAreWatchedAndUnwatched() {
        assertThat(redis.run(Transactions.watch("a", "b"))).isEqualTo("OK");
        assertThat(redis.run(Transactions.unwatch())).isEqualTo("OK");
        assertThat(Transactions.watch("a").spec().dedicated()).isTrue();
        assertThat(Transactions.unwatch().spec().dedicated()).isTrue();
    }

    @Test
    void scriptCanBeExecutedByItsBodyOrByItsDigest() {
        Script script = Script.of("redis.call('SET', KEYS[1], ARGV[1]); return {KEYS[1], tonumber(ARGV[2]) + 1}");

        ErrorReplyException unknown = catchThrowableOfType(
                ErrorReplyException.class, () -> redis.run(Scripts.evalSha(script, List.of("k"), List.of("v", 1))));
        assertThat(unknown.code()).isEqualTo("NOSCRIPT");
        assertThat(redis.run(Scripts.load(script))).isEqualTo(script.sha1());
        assertThat(redis.run(Scripts.evalSha(script, List.of("k"), List.of("v", 1))))
                .isEqualTo(new Reply.ArrayReply(
                        List.of(new Reply.BulkString(new byte[] {'k'}), new Reply.IntegerReply(2))));
        assertThat(redis.run(Scripts.eval(script, List.of("k"), List.of("w", 2)).as(Replies::items)))
                .hasSize(2);
        assertThat(redis.run(Strings.get("k"))).hasValue("w");
        assertThat(redis.run(Scripts.eval(Script.of("return 7"), List.of(), List.of())
                        .as(Replies::integer)))
                .isEqualTo(7);
        redis.run(Command.of("SCRIPT FLUSH"));
    }

    @Test
    void digestOfAScriptIsTheSha1OfItsUtf8Bytes() {
        assertThat(Script.of("return 'größer'").sha1())
                .isEqualTo(redis.run(Scripts.load(Script.of("return 'größer'"))));
        assertThat(Script.of("return 1").sha1()).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
        assertThat(Script.of("return 'secret'").toString()).doesNotContain("secret");
    }
}
