// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The encoded length of commands. */
class CommandLengthTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void lengthIsTheNumberOfBytesOnTheWire() {
        String wire = "*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$10\r\nsavings-\u00fc\r\n$0\r\n\r\n";

        assertThat(Command.of("CONFIG SET", "savings-\u00fc", "").encodedBytes())
                .isEqualTo(wire.getBytes(UTF_8).length);
    }

    @Test
    void copiesKeepTheLength() {
        Command<Reply> command = Command.of("SET", "key", "value");

        assertThat(List.of(
                        command.within(SECOND),
                        command.withinAtMost(SECOND),
                        command.blockingFor(SECOND),
                        command.idempotently(),
                        command.as(Replies::text)))
                .allSatisfy(copy -> assertThat(copy.encodedBytes()).isEqualTo(command.encodedBytes()));
    }
}
