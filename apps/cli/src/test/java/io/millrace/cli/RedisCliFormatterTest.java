// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisCliFormatterTest {

    @Test
    void plainArgumentsAreNotQuoted() {
        var command = new RedisCliFormatter("HSET");

        command.arg("customer:42").arg("name").arg("Zoë");

        assertThat(command).hasToString("HSET customer:42 name Zoë");
    }

    @Test
    void spacesQuotesAndLineEndsAreQuotedInRedisCliSyntax() {
        var command = new RedisCliFormatter("SET");

        command.arg("a key").arg("").arg("say \"hi\"\\\r\n\t").arg("it's").arg("\u0001");

        assertThat(command).hasToString("SET \"a key\" \"\" \"say \\\"hi\\\"\\\\\\r\\n\\t\" \"it's\" \"\\x01\"");
    }

    @Test
    void bytesThatAreNotUtf8AreWrittenInHexadecimal() {
        var command = new RedisCliFormatter("SET");

        command.arg("k").arg(new byte[] {'a', ' ', (byte) 0xff, 0, '"'});

        assertThat(command).hasToString("SET k \"a\\x20\\xff\\x00\\x22\"");
    }

    @Test
    void argumentContainsOnlyTheGivenRangeOfTheArray() {
        var command = new RedisCliFormatter("GET");

        command.arg("xxkeyxx".getBytes(UTF_8), 2, 3);

        assertThat(command).hasToString("GET key");
    }
}
