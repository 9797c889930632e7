// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * No part of a password appears in an exception, a log record, the result of {@code toString}, a thread name or a
 * Flight Recorder event. The tests check this for many failures, also for a server that repeats the password.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SecretsTest {

    private static final String SECRET = "Zq7xW-9vKp-Rt4mN";
    private static final String USER = "ada";

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final RecordedTexts recordedTexts = new RecordedTexts();
    private final Recording recording = new Recording();

    @TempDir
    Path directory;

    @BeforeEach
    void record() {
        // Flight Recorder records every exception when it is created, even if the client catches the exception.
        for (String event :
                List.of("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow", "jdk.ThreadStart", "jdk.VirtualThreadStart")) {
            recording.enable(event).withoutThreshold();
        }
        for (String event : List.of("Batch", "Stall", "Refusal", "Reconnect", "LateReply", "Timeout")) {
            recording.enable("io.millrace." + event).withoutThreshold();
        }
        recording.start();
    }

    @AfterEach
    void stopRecording() {
        recording.close();
    }

    @Test
    void refusedHandshakeShowsNoPartOfAPasswordThatTheServerRepeats() throws Exception {
        List<Function<ReceivedCommand, String>> repliesWithPassword = List.of(
                command ->
                        "-ERR unknown command '" + command.name() + "', with args beginning with: " + quoted(command),
                command -> "-ERR wrong number of arguments: " + command.line(),
                command -> "-WRONGPASS not " + command.line(),
                command -> "-NOAUTH Authentication required, not " + command.line(),
                command -> "-WEIRD " + command.line().replace('\r', ' ').replace('\n', ' '),
                command -> "-NOPERM " + USER + " may not " + command.line(),
                command -> command.name().equals("HELLO")
                        ? "-NOPROTO unsupported protocol version"
                        : "-ERR AUTH " + command.line(),
                command -> command.name().equals("SELECT") ? "-ERR not for " + SECRET : "+OK",
                ReceivedCommand::line,
                command -> "$-7 " + command.line(),
                command -> "!5\r\n" + SECRET);
        for (Function<ReceivedCommand, String> reply : repliesWithPassword) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(reply.apply(command) + "\r\n"))) {
                for (String password : List.of(SECRET, SECRET + "\r\nmore", "\r\n" + SECRET)) {
                    RedisUri uri =
                            WatchedClients.uri(server).withLogin(USER, password).withDatabase(3);

                    recordedTexts.addFailureOf(() -> RedisClient.connect(uri).close());
                }
            }
        }

        assertThat(recordedTexts.size()).isEqualTo(repliesWithPassword.size() * 3);
        assertSecretNotShown();
    }

    private static String quoted(ReceivedCommand command) {
        StringBuilder all = new StringBuilder();
        // The error reply of Redis repeats the arguments in this form: at most 128 bytes, with blanks in place of line
        // breaks.
        command.arguments().stream()
                .skip(1)
                .forEach(argument -> all.append('\'')
                        .append(new String(argument, UTF_8).replaceAll("[\r\n]", " "))
                        .append("' "));
        return all.substring(0, Math.min(all.length(), 128));
    }

    @Test
    void partOfThePasswordInAnErrorReplyIsNotShown() throws Exception {
        // With a user name of one of these lengths, the error reply has room for only some letters of the password.
        for (int length : new int[] {105, 110, 113, 115, 117, 119, 120}) {
            String user = "n".repeat(length);
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply("-ERR unknown command '" + command.name()
                    + "', with args beginning with: " + quoted(command) + "\r\n"))) {
                RedisUri uri = WatchedClients.uri(server).withLogin(user, SECRET);

                recordedTexts.addFailureOf(() -> RedisClient.connect(uri).close());
            }
        }

        assertSecretNotShown();
    }

    @Test
    void exceptionForAnInvalidUriShowsNoPartOfThePassword() throws Exception {
        for (String address : List.of(
                "redis://ada:%s@host:port/0",
                "redis://ada:%s@host:6379/many",
                "redis://ada:%s@:6379",
                "redis://ada:%s@",
                "redis://ada:%s",
                "redis://ada:%s@ho st:1",
                "redis://ada:%%zz%s@host:1",
                "redis://ada:%s%%zz@host:1",
                "redis://ada:%s%%@host:1",
                "redis://ada:%s/slash@host:1",
                "redis://ada:%s#hash@host:1",
                "redis://ada:%s?query@host:1",
                "redis://ada:%s[@host:1",
                "redis://ada:%s@[::1:6379",
                "redis://ada:%s@host:99999",
                "http://ada:%s@host:1",
                "unix://ada:%s@relative",
                "unix://ada:%s@/path?db=x",
                "%s",
                "ada:%s@host",
                "redis:ada:%s@host:1",
                "redis:/ada:%s@host:1")) {
            recordedTexts.addFailureOf(() -> RedisClient.connect(RedisUri.parse(address.formatted(SECRET)))
                    .close());
        }

        assertSecretNotShown();
    }

    @Test
    void textOfOptionsAndCommandsShowsNoPartOfAPassword() throws Exception {
        RedisUri uri = RedisUri.of("127.0.0.1", 6379).withLogin(USER, SECRET);
        recordedTexts.add(uri);
        recordedTexts.add(uri.withTls().withDatabase(1).endpoint());
        recordedTexts.add(ClientOptions.of(uri));
        recordedTexts.add(Credentials.of(USER, SECRET));
        recordedTexts.add(Credentials.ofPassword(SECRET));
        recordedTexts.add(Command.of("AUTH", USER, SECRET));
        recordedTexts.add(Command.of("CONFIG SET", "requirepass", SECRET).idempotently());
        recordedTexts.add(Command.of("AUTH", USER, SECRET).spec());

        assertSecretNotShown();
    }

    @Test
    void connectedClientShowsNoPartOfItsPasswordInLaterFailures() throws Exception {
        try (EmbeddedRedis server =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(SECRET));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port())) {
            RedisUri uri = RedisUri.of(network.host(), network.port()).withPassword(SECRET);
            recordedTexts.addFailureOf(() ->
                    RedisClient.connect(uri.withPassword("another" + SECRET)).close());
            recordedTexts.addFailureOf(() -> RedisClient.connect(uri.withTls()).close());
            try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                    .connectTimeout(Duration.ofSeconds(60))
                    .inFlight(1)
                    .poolSize(1)
                    .commandTimeout(Duration.ofMillis(500))
                    .build())) {
                provokeFailures(client, network);
                recordedTexts.add(client);
                recordedTexts.add(client.stats());
                Thread.getAllStackTraces().keySet().forEach(recordedTexts::add);
                server.kill();
                recordedTexts.addFailureOf(() -> client.call(Strings.set("k", "v")));
                recordedTexts.add(client.health(Duration.ofMillis(100)));
                recordedTexts.addFailureOf(
                        () -> client.subscribe(SubscribeOptions.channels("c")).close());
            }
        }

        assertThat(log.lines()).isNotEmpty();
        assertSecretNotShown();
    }

    @Test
    void renewedLoginShowsNoPartOfAPasswordThatTheServerRepeats() throws Exception {
        String replied = "-ERR unknown command 'AUTH', with args beginning with: 'ada' '" + SECRET + "'";
        for (String reply : List.of(replied, "-WRONGPASS not " + SECRET, "-ERR invalid " + SECRET.substring(0, 13))) {
            Handler refusing = command -> Answer.reply(
                    switch (command.name()) {
                        case "HELLO" -> Handler.HELLO;
                        case "AUTH" -> reply + "\r\n";
                        default -> "+OK\r\n";
                    });
            try (FakeRedis server = FakeRedis.start(refusing);
                    RedisClient client = RedisClient.connect(ClientOptions.builder(WatchedClients.uri(server))
                            .credentials(() -> Credentials.of(USER, SECRET))
                            .build())) {
                recordedTexts.addFailureOf(client::renewLogin);
                recordedTexts.add(client.stats());
                Eventually.await("the refusal is logged", () -> !log.warnings().isEmpty());
            }
        }

        assertSecretNotShown();
    }

    private void provokeFailures(RedisClient client, FaultProxy network) {
        try (DedicatedConnection connection = client.borrow()) {
            recordedTexts.addFailureOf(client::borrow);
            recordedTexts.addFailureOf(() -> connection.call(Command.of("AUTH", "nobody", SECRET)));
            recordedTexts.addFailureOf(() -> connection.call(Command.of("AUTH", "too", "many", SECRET)));
            recordedTexts.addFailureOf(() -> connection.call(Command.of("CONFIG SET", "no-such-setting", SECRET)));
            recordedTexts.add(connection);
        }
        recordedTexts.addFailureOf(() -> client.call(Strings.set("k", "v").as(Replies::integer)));
        recordedTexts.addFailureOf(() -> client.call(Command.of("MULTI", SECRET)));
        recordedTexts.addFailureOf(() -> client.call(Command.of("SELECT", SECRET)));
        network.stall(Direction.TO_SERVER);
        CompletableFuture<String> slow = client.send(Strings.set("k", SECRET));
        recordedTexts.addFailureOf(() -> client.call(Strings.set("k", SECRET)));
        recordedTexts.addFailureOf(() -> awaitFailure(slow));
        Pipeline pipeline = client.pipeline();
        recordedTexts.add(pipeline.add(Strings.set("k", SECRET)));
        pipeline.run().forEach(result -> {
            recordedTexts.add(result);
            recordedTexts.addFailureOf(result::value);
        });
        network.disconnectAll(ConnectionEnd.RESET);
        network.resume(Direction.TO_SERVER);
        Eventually.await("the client is back", client::isOpen);
    }

    private static void awaitFailure(CompletableFuture<?> future) {
        try {
            future.join();
        } catch (CompletionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertSecretNotShown() throws Exception {
        // The test throws an exception, to check that Flight Recorder records exceptions.
        assertThatThrownBy(() -> {
                    throw new IllegalStateException("recorded exception");
                })
                .hasMessage("recorded exception");
        recording.stop();
        Path file = directory.resolve("recording.jfr");
        recording.dump(file);
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        events.forEach(event -> recordedTexts.add(event.toString()));
        log.lines().forEach(recordedTexts::add);

        assertThat(events).extracting(event -> event.getEventType().getName()).contains("jdk.JavaExceptionThrow");
        assertThat(recordedTexts.leaksOf(SECRET)).isEmpty();
    }
}
