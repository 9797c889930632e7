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
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests complete conversations of a client with a fake server: handshake, transaction, pushes, delays and the end of
 * connections.
 */
@Timeout(100)
@ExtendWith(NoConnectionLeft.class)
class ConversationTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(50);
    private static final String PING = "*1\r\n$4\r\nPING\r\n";
    private static final String HELLO = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
    private static final Handler PONG = command -> Answer.reply("+PONG\r\n");

    @Test
    void fakeServerCanReplyThatItDoesNotSupportHelloOrResp3() throws IOException {
        for (String helloReply : new String[] {Handler.HELLO_UNKNOWN, Handler.NO_RESP3}) {
            try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(helloReply, PONG));
                    Socket socket = connect(fake)) {
                send(socket, HELLO + PING);

                assertThat(read(socket, helloReply.length() + 7)).isEqualTo(helloReply + "+PONG\r\n");
            }
        }
    }

    @Test
    void scriptCanContainTheRepliesOfATransaction() throws IOException {
        Handler script = Script.perConnection(connection -> connection
                .expect("MULTI")
                .reply("+OK\r\n")
                .expect("PING")
                .reply("+QUEUED\r\n")
                .expect("EXEC")
                .reply("*1\r\n+PONG\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(script));
                Socket socket = connect(fake)) {
            send(socket, HELLO + "*1\r\n$5\r\nMULTI\r\n" + PING + "*1\r\n$4\r\nEXEC\r\n");

            String replies = Handler.HELLO + "+OK\r\n+QUEUED\r\n*1\r\n+PONG\r\n";
            assertThat(read(socket, replies.length())).isEqualTo(replies);
        }
    }

    @Test
    void serverCanSendPushesBetweenReplies() throws IOException {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake =
                        FakeRedis.start(command -> Answer.reply("+PONG\r\n").heldUntil(released));
                Socket socket = connect(fake)) {
            send(socket, PING);
            fake.awaitCommands(1, TIMEOUT);
            fake.send(0, Answer.push("message", "größe", ""));
            released.countDown();

            String expected = "+PONG\r\n>3\r\n$7\r\nmessage\r\n$7\r\ngröße\r\n$0\r\n\r\n";
            assertThat(read(socket, expected.getBytes(UTF_8).length)).isEqualTo(expected);
        }
    }

    @Test
    void delayedReplyAlsoDelaysTheNextReplyOfTheSameConnection() throws IOException {
        try (FakeRedis fake =
                        FakeRedis.start(command -> Answer.reply("+PONG\r\n").delayedBy(Duration.ofMillis(30)));
                Socket socket = connect(fake)) {
            long start = System.nanoTime();
            send(socket, PING + PING);

            assertThat(read(socket, 14)).isEqualTo("+PONG\r\n+PONG\r\n");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(60), TIMEOUT);
        }
    }

    @Test
    void cutOfOneConnectionDoesNotAffectTheNextConnection() throws IOException {
        Cut cut = Cut.requests(PING.length(), ConnectionEnd.CLOSE).onConnection(0);
        try (FakeRedis fake = FakeRedis.start(PONG, cut)) {
            assertThat(repliesTo(fake, PING + PING)).isEqualTo("+PONG\r\n");
            assertThat(repliesTo(fake, PING + PING)).isEqualTo("+PONG\r\n+PONG\r\n");
        }
    }

    @Test
    void nthConnectionUsesTheNthHandlerAndFurtherConnectionsUseTheLastHandler() throws IOException {
        Handler full = PONG.withGreeting(Answer.cut("-ERR max number of clients reached\r\n", 36, ConnectionEnd.CLOSE));
        Handler garbage = command -> Answer.reply("\0garbage").then(Answer.end(ConnectionEnd.CLOSE));
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(Handler.perConnection(full, garbage, PONG)))) {
            assertThat(repliesTo(fake, "")).isEqualTo("-ERR max number of clients reached\r\n");
            assertThat(repliesTo(fake, PING)).isEqualTo("\0garbage");
            assertThat(repliesTo(fake, PING)).isEqualTo("+PONG\r\n");
            assertThat(repliesTo(fake, PING)).isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void openConnectionsAreCounted() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.end(ConnectionEnd.RESET))) {
            try (Socket first = connect(fake);
                    Socket second = connect(fake)) {
                fake.awaitConnections(2, TIMEOUT);
                int both = fake.openConnections();
                send(second, PING);
                fake.awaitDisconnections(1, TIMEOUT);
                int one = fake.openConnections();

                assertThat(both).isEqualTo(2);
                assertThat(one).isOne();
                assertThatThrownBy(() -> second.getInputStream().read()).isInstanceOf(SocketException.class);
                assertThat(first.getInputStream().available()).isZero();
            }
            fake.awaitDisconnections(2, TIMEOUT);
            assertThat(fake.openConnections()).isZero();
            assertThat(fake.acceptedConnections()).isEqualTo(2);
        }
    }

    @Test
    void connectionThatTheServerEndedCountsAsOpenUntilTheClientClosesIt() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.end(ConnectionEnd.CLOSE))) {
            try (Socket socket = connect(fake)) {
                send(socket, PING);

                assertThat(socket.getInputStream().read()).isEqualTo(-1);
                assertThat(fake.openConnections()).isOne();
            }
            fake.awaitDisconnections(1, TIMEOUT);
        }
    }

    @Test
    void serverAnswersAllRequestsBeforeTheEndOfTheRequestStream() throws IOException {
        try (FakeRedis fake = FakeRedis.start(command -> Answer.inPieces("+PONG\r\n", 1))) {
            assertThat(repliesTo(fake, PING.repeat(2000))).isEqualTo("+PONG\r\n".repeat(2000));
        }
    }

    @Test
    void serverEndsTheConnectionAfterTheClientEvenIfAnswersAreHeldOrDelayed() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Handler held = command -> Answer.reply("+PONG\r\n").heldUntil(never);
        Handler delayed = command -> Answer.reply("+PONG\r\n").delayedBy(Duration.ofHours(1));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(held, delayed))) {
            assertThat(repliesTo(fake, PING)).isEmpty();
            assertThat(repliesTo(fake, PING)).isEmpty();

            fake.awaitDisconnections(2, TIMEOUT);
        }
    }

    /** Sends {@code requests}, ends the stream, and returns all bytes that the server sends. */
    private static String repliesTo(FakeRedis fake, String requests) throws IOException {
        try (Socket socket = connect(fake)) {
            send(socket, requests);
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
