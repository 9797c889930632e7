// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class HandshakeTest {

    private static final String UNKNOWN = "-ERR unknown command 'HELLO'\r\n";

    @Test
    void completeHandshakeIsSentBeforeTheFirstCommand() {
        String expected = "*7\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$3\r\nada\r\n$6\r\nsecret\r\n"
                + "$7\r\nSETNAME\r\n$8\r\nmillrace\r\n"
                + "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n"
                + "*4\r\n$6\r\nCLIENT\r\n$7\r\nSETINFO\r\n$8\r\nLIB-NAME\r\n$8\r\nmillrace\r\n";
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")))) {
            RedisUri uri = RedisUri.of(server.host(), server.port())
                    .withLogin("ada", "secret")
                    .withDatabase(5);

            try (RedisClient client = RedisClient.connect(
                    WatchedClients.options(uri).fusion(Fusion.NONE).build())) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
            }

            assertThat(new String(server.received(0), UTF_8)).isEqualTo(expected + "*1\r\n$4\r\nPING\r\n");
        }
    }

    @Test
    void clientUsesResp2IfTheServerDoesNotKnowHello() {
        try (FakeRedis server = FakeRedis.startWithScripts(script -> script.expect("HELLO")
                .reply(UNKNOWN)
                .expect("AUTH", "ada", "secret")
                .reply("+OK\r\n")
                .expect("CLIENT", "SETNAME", "millrace")
                .reply("+OK\r\n")
                .expect("CLIENT", "SETINFO")
                .reply("-ERR unknown subcommand\r\n")
                .expect("PING")
                .reply("+PONG\r\n"))) {
            RedisUri uri = RedisUri.of(server.host(), server.port()).withLogin("ada", "secret");

            try (RedisClient client =
                    RedisClient.connect(WatchedClients.options(uri).build())) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
            }
        }
    }

    @Test
    void clientUsesResp2IfTheServerRefusesResp3() {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(
                command.name().equals("HELLO") ? "-NOPROTO unsupported protocol version\r\n" : "+OK\r\n"))) {

            try (RedisClient client = RedisClient.connect(RedisUri.of(server.host(), server.port()))) {
                assertThat(client.isOpen()).isTrue();
            }
        }
    }

    @Test
    void serverThatRequiresAPasswordIsNotMistakenForAnOldServer() {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply("-NOAUTH HELLO must be called with …\r\n"))) {

            ConnectException failure = connectFails(server);

            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure).hasMessageContaining("asks for a password").hasMessageContaining("NOAUTH");
            assertThat(server.commands()).noneMatch(command -> command.name().equals("AUTH"));
        }
    }

    @Test
    void wrongPasswordErrorNamesTheUserButNotThePassword() {
        try (FakeRedis server =
                FakeRedis.start(command -> Answer.reply("-WRONGPASS invalid username-password pair\r\n"))) {
            RedisUri uri = RedisUri.parse("redis://ada:marked-secret@127.0.0.1:" + server.port());

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(uri));

            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure).hasMessageContaining("ada").hasMessageContaining("WRONGPASS");
            assertThat(failure.toString() + uri).doesNotContain("marked-secret");
        }
    }

    @Test
    void selectOfADatabaseThatDoesNotExistIsReported() {
        try (FakeRedis server = FakeRedis.start(command ->
                Answer.reply(command.name().equals("SELECT") ? "-ERR DB index is out of range\r\n" : "+OK\r\n"))) {
            RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + server.port() + "/99");

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(uri));

            assertThat(failure.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(failure).hasMessageContaining("SELECT 99: ERR DB index is out of range");
        }
    }

    @Test
    void userWithoutSelectPermissionCanUseDatabaseZero() {
        try (FakeRedis server = FakeRedis.start(
                command -> Answer.reply(command.name().equals("SELECT") ? "-NOPERM no permissions\r\n" : "+OK\r\n"))) {

            try (RedisClient client = RedisClient.connect(RedisUri.of(server.host(), server.port()))) {
                assertThat(client.isOpen()).isTrue();
            }
        }
    }

    @Test
    void exceptionQuotesTheErrorOfAServerInProtectedModeOrWithTooManyClients() {
        for (String words :
                new String[] {"-ERR max number of clients reached", "-DENIED Redis is running in protected mode"}) {
            Handler full = new Handler() {
                @Override
                public Answer answer(io.millrace.testkit.ReceivedCommand command) {
                    return Answer.noReply();
                }

                @Override
                public Answer greeting(int connection) {
                    return Answer.reply(words + "\r\n").then(Answer.end(ConnectionEnd.CLOSE));
                }
            };
            try (FakeRedis server = FakeRedis.start(full)) {

                ConnectException failure = connectFails(server);

                assertThat(failure).hasMessageContaining(words.substring(1));
            }
        }
    }

    @Test
    void passwordInTheErrorReplyOfTheServerIsNotShownInTheException() {
        try (FakeRedis server = FakeRedis.start(command -> Answer.reply(
                "-ERR unknown command '" + command.name() + "', with args beginning with: 'marked-secret'\r\n"))) {
            RedisUri uri = RedisUri.parse("redis://:marked-secret@127.0.0.1:" + server.port());

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(uri));

            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure).hasMessageContaining("unknown command 'AUTH'");
            assertThat(failure.toString()).doesNotContain("marked-secret");
        }
    }

    @Test
    void missingCertificateFileIsReported() {
        TlsOptions tls = TlsOptions.DEFAULT.trusting(Path.of("no-such-file.pem"));
        ClientOptions options = ClientOptions.builder(RedisUri.parse("rediss://127.0.0.1:1"))
                .tls(tls)
                .build();

        ConnectException failure = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(options));

        assertThat(failure.reason()).isEqualTo(Reason.TLS);
        assertThat(failure).hasMessageContaining("no-such-file.pem");
    }

    @Test
    void connectExceptionIsThrownIfTheServerIsSilentOrDisconnectsOrIsNotRedis() {
        for (Answer answer : new Answer[] {
            Answer.end(ConnectionEnd.CLOSE),
            Answer.end(ConnectionEnd.RESET),
            Answer.end(ConnectionEnd.SILENCE),
            Answer.reply("\u0015\u0003\u0003\0\u0002\u0002F"),
            Answer.reply("HTTP/1.1 400 Bad Request\r\n\r\n"),
        }) {
            try (FakeRedis server = FakeRedis.start(command -> answer)) {
                long before = System.nanoTime();

                ConnectException failure = connectFails(server);

                assertThat(failure.reason()).isEqualTo(Reason.HANDSHAKE);
                assertThat(failure).hasMessageStartingWith("cannot talk to redis://127.0.0.1:");
                assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(50));
            }
        }
    }

    @Test
    void connectFailsIfTheHandshakeReceivesASurplusReply() {
        try (FakeRedis server = FakeRedis.start(
                command -> Answer.reply(command.name().equals("HELLO") ? "+OK\r\n+SURPLUS\r\n" : "+OK\r\n"))) {

            ConnectException failure = connectFails(server);

            assertThat(failure).hasMessageContaining("more replies than the client sent commands");
        }
    }

    @Test
    void closedPortAndUnknownHostAreReportedAsUnreachable() throws Exception {
        int freePort;
        try (ServerSocket probe = new ServerSocket(0)) {
            freePort = probe.getLocalPort();
        }

        ConnectException refused = catchThrowableOfType(
                ConnectException.class, () -> RedisClient.connect(RedisUri.of("127.0.0.1", freePort)));
        ConnectException unknown = catchThrowableOfType(
                ConnectException.class, () -> RedisClient.connect(RedisUri.of("no-such-host.invalid", 6379)));

        assertThat(refused.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(refused).hasMessageContaining("redis://127.0.0.1:" + freePort);
        assertThat(unknown.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(unknown).hasMessageContainingAll("no-such-host.invalid", "host name is not known");
    }

    @Test
    void messageOfATlsHandshakeTimeoutContainsTls() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            ClientOptions options = ClientOptions.builder(RedisUri.parse("rediss://127.0.0.1:" + silent.getLocalPort()))
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(options));

            assertThat(failure).hasMessageContaining("no answer within 2000 ms").hasMessageContaining("TLS");
        }
    }

    private static ConnectException connectFails(FakeRedis server) {
        ClientOptions options = ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(2))
                .build();
        return catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(options));
    }
}
