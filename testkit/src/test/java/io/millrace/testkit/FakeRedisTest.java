// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(100)
class FakeRedisTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(50);
    private static final String PING = "*1\r\n$4\r\nPING\r\n";
    private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\n";

    @Test
    void commandsAreAnsweredInOrderAndRecordedByteForByte() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply("+" + command.name() + "\r\n"));
                Socket socket = connect(fake)) {
            send(socket, PING + SET);

            assertThat(read(socket, 13)).isEqualTo("+PING\r\n+SET\r\n");
            assertThat(fake.awaitCommands(2, TIMEOUT))
                    .extracting(ReceivedCommand::line)
                    .containsExactly("PING", "SET k \r\n");
            assertThat(fake.received(0)).asString(UTF_8).isEqualTo(PING + SET);
        }
    }

    @Test
    void requestIsAnsweredEvenIfItsBytesArriveOneByOne() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply("+OK\r\n"));
                Socket socket = connect(fake)) {
            for (byte single : SET.getBytes(UTF_8)) {
                socket.getOutputStream().write(single);
            }

            assertThat(read(socket, 5)).isEqualTo("+OK\r\n");
            assertThat(fake.commands()).extracting(ReceivedCommand::line).containsExactly("SET k \r\n");
        }
    }

    @Test
    void replySentInPiecesIsComplete() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.inPieces("$5\r\nhello\r\n", 1));
                Socket socket = connect(fake)) {
            send(socket, PING);

            assertThat(read(socket, 11)).isEqualTo("$5\r\nhello\r\n");
        }
    }

    @Test
    void connectionEndsAfterTheFirstBytesOfAReplyThatIsCut() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.cut("$5\r\nhello\r\n", 6, ConnectionEnd.CLOSE));
                Socket socket = connect(fake)) {
            send(socket, PING + PING);

            assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("$5\r\nhe");
        }
    }

    @Test
    void answerCanResetTheConnection() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.end(ConnectionEnd.RESET));
                Socket socket = connect(fake)) {
            send(socket, PING);

            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            fake.awaitDisconnections(1, TIMEOUT);
        }
    }

    @Test
    void silentServerKeepsTheConnectionOpenAndReadsRequests() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.end(ConnectionEnd.SILENCE));
                Socket socket = connect(fake)) {
            socket.setSoTimeout(50);
            send(socket, PING + SET);

            assertThat(fake.awaitCommands(2, TIMEOUT)).hasSize(2);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void heldAnswerIsNotSentBeforeTheTestReleasesIt() throws IOException {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(command -> command.name().equals("SET")
                        ? Answer.reply("+SET\r\n").heldUntil(released)
                        : Answer.reply("+PONG\r\n"));
                Socket socket = connect(fake)) {
            send(socket, SET + PING);
            fake.awaitCommands(2, TIMEOUT);
            int repliesWhileHeld = socket.getInputStream().available();

            released.countDown();

            assertThat(repliesWhileHeld).isZero();
            assertThat(read(socket, 13)).isEqualTo("+SET\r\n+PONG\r\n");
        }
    }

    @Test
    void closeOfTheServerDoesNotWaitForHeldAnswers() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        FakeRedis fake = FakeRedis.start(command -> Answer.reply("+OK\r\n").heldUntil(never));
        try (Socket socket = connect(fake)) {
            send(socket, PING);
            fake.awaitCommands(1, TIMEOUT);

            fake.close();

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void serverCanSendBytesWithoutARequest() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply("+OK\r\n"));
                Socket socket = connect(fake)) {
            fake.awaitConnections(1, TIMEOUT);

            fake.send(0, Answer.reply(">1\r\n+hello\r\n"));

            assertThat(read(socket, 12)).isEqualTo(">1\r\n+hello\r\n");
        }
    }

    @Test
    void serverReceivesNoCommandBetweenStopReadingAndResumeReading() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.reply("+OK\r\n"));
                Socket socket = connect(fake)) {
            fake.awaitConnections(1, TIMEOUT);
            fake.stopReading();
            send(socket, PING);

            assertThatThrownBy(() -> fake.awaitCommands(1, Duration.ofMillis(50)))
                    .isInstanceOf(AssertionError.class);
            fake.resumeReading();
            assertThat(fake.awaitCommands(1, TIMEOUT)).hasSize(1);
        }
    }

    @Test
    void timeoutOfAwaitCommandsReportsTheReceivedCommands() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.noReply());
                Socket socket = connect(fake)) {
            send(socket, PING);
            fake.awaitCommands(1, TIMEOUT);

            assertThatThrownBy(() -> fake.awaitCommands(2, Duration.ofMillis(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("timed out waiting for 2 commands")
                    .hasMessageContaining("#0 PING");
        }
    }

    @Test
    void malformedRequestFailsTheTest() throws IOException {
        FakeRedis fake = FakeRedis.start(command -> Answer.noReply());
        try (Socket socket = connect(fake)) {
            send(socket, "PING\r\n");

            assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).startsWith("-ERR");
        }
        assertThatThrownBy(fake::close).isInstanceOf(AssertionError.class).hasMessageContaining("PING\\r\\n");
    }

    static Socket connect(FakeRedis fake) throws IOException {
        Socket socket = new Socket(fake.host(), fake.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    static void send(Socket socket, String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(UTF_8));
    }

    static String read(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), UTF_8);
    }
}
