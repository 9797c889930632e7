// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.FakeRedisTest.connect;
import static io.millrace.testkit.FakeRedisTest.read;
import static io.millrace.testkit.FakeRedisTest.send;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(100)
class ScriptTest {

    private static final String PING = "*1\r\n$4\r\nPING\r\n";
    private static final String HELLO = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";

    @Test
    void eachConnectionReceivesTheRepliesOfItsScript() throws IOException {
        try (FakeRedis fake = FakeRedis.startWithScripts(
                        script -> script.expect("HELLO", "3")
                                .reply("-NOPROTO no\r\n")
                                .expect("ping")
                                .reply("+ONE\r\n"),
                        script -> script.expect("PING").reply("+TWO\r\n"));
                Socket first = connect(fake)) {
            send(first, HELLO + PING);
            String firstReplies = read(first, 19);
            String secondReply;
            try (Socket second = connect(fake)) {
                send(second, PING);
                secondReply = read(second, 6);
            }

            assertThat(firstReplies).isEqualTo("-NOPROTO no\r\n+ONE\r\n");
            assertThat(secondReply).isEqualTo("+TWO\r\n");
        }
    }

    @Test
    void unexpectedCommandFailsTheTest() throws IOException {
        FakeRedis fake =
                FakeRedis.startWithScripts(script -> script.expect("HELLO", "2").reply("+OK\r\n"));
        try (Socket socket = connect(fake)) {
            send(socket, HELLO);

            assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).startsWith("-ERR");
        }
        assertThatThrownBy(fake::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected=[HELLO, 2], received=#0 HELLO 3");
    }

    @Test
    void commandAfterTheLastExpectedCommandFailsTheTest() throws IOException {
        FakeRedis fake =
                FakeRedis.startWithScripts(script -> script.expect("HELLO").reply("+OK\r\n"));
        try (Socket socket = connect(fake)) {
            send(socket, HELLO + PING);

            assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).startsWith("+OK\r\n-ERR");
        }
        assertThatThrownBy(fake::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("after the last expected command");
    }

    @Test
    void commandOnAConnectionWithoutAScriptFailsTheTest() throws IOException {
        FakeRedis fake = FakeRedis.startWithScripts();
        try (Socket socket = connect(fake)) {
            send(socket, PING);
            socket.getInputStream().readAllBytes();
        }
        fake.awaitDisconnections(1, Duration.ofSeconds(50));

        assertThatThrownBy(fake::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no replies were prepared");
    }
}
