// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.FakeRedisTest.connect;
import static io.millrace.testkit.FakeRedisTest.send;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(100)
class CutTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(50);
    private static final String HELLO = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
    private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
    private static final String OK = "+OK\r\n";

    @Test
    void onlyCommandsThatAreCompleteBeforeTheCutAreAnswered() throws IOException {
        String batch = SET + SET + SET;
        for (int bytes = 0; bytes <= batch.length(); bytes++) {
            Cut cut = Cut.requests(bytes, ConnectionEnd.CLOSE).from("SET");
            try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK), cut);
                    Socket socket = connect(fake)) {
                send(socket, HELLO + batch);
                String replies = new String(socket.getInputStream().readAllBytes(), UTF_8);

                int whole = bytes / SET.length();
                assertThat(replies).as("cut after %d bytes", bytes).isEqualTo(OK + OK.repeat(whole));
                assertThat(fake.commands()).hasSize(1 + whole);
                assertThat(fake.received(0))
                        .asString(UTF_8)
                        .isEqualTo((HELLO + batch).substring(0, HELLO.length() + bytes));
            }
        }
    }

    @Test
    void serverSendsExactlyTheReplyBytesBeforeTheCut() throws IOException {
        String replies = OK.repeat(3);
        for (int bytes = 0; bytes <= replies.length(); bytes++) {
            Cut cut = Cut.replies(bytes, ConnectionEnd.CLOSE).from("SET");
            try (FakeRedis fake = FakeRedis.start(command -> Answer.inPieces(OK, 2), cut);
                    Socket socket = connect(fake)) {
                send(socket, HELLO + SET + SET + SET);

                assertThat(socket.getInputStream().readAllBytes())
                        .asString(UTF_8)
                        .isEqualTo(OK + replies.substring(0, bytes));
            }
        }
    }

    @Test
    void cutWithoutACommandNameCountsFromTheFirstByte() throws IOException {
        Cut cut = Cut.requests(HELLO.length() - 1, ConnectionEnd.CLOSE);
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK), cut);
                Socket socket = connect(fake)) {
            send(socket, HELLO.substring(0, HELLO.length() - 1));

            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
            assertThat(fake.commands()).isEmpty();
        }
    }

    @Test
    void nextCutEndsOnlyTheFirstConnectionThatReceivesItsCommand() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK));
                Socket first = connect(fake);
                Socket second = connect(fake)) {
            for (Socket socket : List.of(first, second)) {
                send(socket, HELLO);
                assertThat(socket.getInputStream().readNBytes(OK.length()))
                        .asString(UTF_8)
                        .isEqualTo(OK);
            }
            fake.cutNext(Cut.replies(OK.length() + 2, ConnectionEnd.CLOSE).from("SET"));

            send(second, HELLO);
            assertThat(second.getInputStream().readNBytes(OK.length())).hasSize(OK.length());
            assertThat(fake.isCutDue()).isTrue();
            send(second, SET + SET + SET);

            assertThat(second.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo(OK + OK.substring(0, 2));
            assertThat(fake.isCutDue()).isFalse();
            send(first, SET);
            assertThat(first.getInputStream().readNBytes(OK.length()))
                    .asString(UTF_8)
                    .isEqualTo(OK);
        }
    }

    @Test
    void nextCutMustNameACommand() {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK))) {
            Cut cut = Cut.requests(1, ConnectionEnd.CLOSE);

            assertThat(catchThrowable(() -> fake.cutNext(cut)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must name a command");
        }
    }

    @ParameterizedTest
    @EnumSource(Cut.Stream.class)
    void connectionCanBeResetAtACut(Cut.Stream stream) throws IOException {
        Cut cut = stream == Cut.Stream.REQUESTS
                ? Cut.requests(3, ConnectionEnd.RESET)
                : Cut.replies(0, ConnectionEnd.RESET);
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK), cut);
                Socket socket = connect(fake)) {
            // If the client is slow, the reset arrives before the client has sent all bytes, and the send fails.
            Throwable sendFailure = catchThrowable(() -> send(socket, HELLO));

            fake.awaitDisconnections(1, TIMEOUT);
            assertThat(sendFailure == null ? endOf(socket) : sendFailure).isInstanceOf(SocketException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Cut.Stream.class)
    void serverSendsNoReplyAfterASilentCutButKeepsTheConnectionOpen(Cut.Stream stream) throws IOException {
        Cut cut = stream == Cut.Stream.REQUESTS
                ? Cut.requests(3, ConnectionEnd.SILENCE)
                : Cut.replies(0, ConnectionEnd.SILENCE);
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply(OK), cut);
                Socket socket = connect(fake)) {
            socket.setSoTimeout(50);
            send(socket, HELLO);

            assertThat(endOf(socket)).isInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    private static Throwable endOf(Socket socket) {
        try {
            return new AssertionError(
                    "the connection sent " + socket.getInputStream().read());
        } catch (IOException e) {
            return e;
        }
    }
}
