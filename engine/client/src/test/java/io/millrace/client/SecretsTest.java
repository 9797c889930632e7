// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
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
 * No part of a password is in any exception, log record, {@code toString}, thread's name or event of Flight Recorder, whatever
 * goes wrong and however much of it the server repeats.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SecretsTest {

    private static final String SECRET = "Zq7xW-9vKp-Rt4mN";
    private static final String USER = "ada";

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final Transcript transcript = new Transcript();
    private final Recording recording = new Recording();

    @TempDir
    Path directory;

    @BeforeEach
    void record() {
        // The recorder sees every exception as it is made, even if somebody catches it.
        for (String event :
                List.of("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow", "jdk.ThreadStart", "jdk.VirtualThreadStart")) {
            recording.enable(event).withoutThreshold();
        }
        for (String event : List.of("Batch", "Stall", "Refusal", "Reconnect", "LateReply")) {
            recording.enable("io.millrace." + event).withoutThreshold();
        }
        recording.start();
    }

    @AfterEach
    void stopRecording() {
        recording.close();
    }

    @Test
    void aRefusedHandshakeShowsNoPartOfThePasswordHoweverTheServerRepeatsIt() throws Exception {
        List<Function<ReceivedCommand, String>> rudeness = List.of(
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
        for (Function<ReceivedCommand, String> reply : rudeness) {
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply(reply.apply(command) + "\r\n"))) {
                for (String password : List.of(SECRET, SECRET + "\r\nmore", "\r\n" + SECRET)) {
                    RedisUri uri =
                            WatchedClients.uri(server).withLogin(USER, password).withDatabase(3);

                    transcript.failing(() -> RedisClient.connect(uri).close());
                }
            }
        }

        assertThat(transcript.size()).isEqualTo(rudeness.size() * 3);
        assertNothingTold();
    }

    private static String quoted(ReceivedCommand command) {
        StringBuilder all = new StringBuilder();
        // As Redis does it: 128 bytes of them, and no line ends.
        command.arguments().stream()
                .skip(1)
                .forEach(argument -> all.append('\'')
                        .append(new String(argument, UTF_8).replaceAll("[\r\n]", " "))
                        .append("' "));
        return all.substring(0, Math.min(all.length(), 128));
    }

    @Test
    void aPasswordThatTheServerRepeatsOnlyInPartIsNotShownEither() throws Exception {
        // So long a name leaves room for some letters of the password only.
        for (int length : new int[] {105, 110, 113, 115, 117, 119, 120}) {
            String user = "n".repeat(length);
            try (FakeRedis server = FakeRedis.start(command -> Answer.reply("-ERR unknown command '" + command.name()
                    + "', with args beginning with: " + quoted(command) + "\r\n"))) {
                RedisUri uri = WatchedClients.uri(server).withLogin(user, SECRET);

                transcript.failing(() -> RedisClient.connect(uri).close());
            }
        }

        assertNothingTold();
    }

    @Test
    void anAddressThatIsNoneShowsNoPartOfItsPassword() throws Exception {
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
            transcript.failing(() -> RedisClient.connect(RedisUri.parse(address.formatted(SECRET)))
                    .close());
        }

        assertNothingTold();
    }

    @Test
    void whatIsPrintedOfASettingOrACommandShowsNoPartOfAPassword() throws Exception {
        RedisUri uri = RedisUri.of("127.0.0.1", 6379).withLogin(USER, SECRET);
        transcript.add(uri);
        transcript.add(uri.withTls().withDatabase(1).endpoint());
        transcript.add(ClientOptions.of(uri));
        transcript.add(Command.of("AUTH", USER, SECRET));
        transcript.add(Command.of("CONFIG SET", "requirepass", SECRET).idempotently());
        transcript.add(Command.of("AUTH", USER, SECRET).spec());

        assertNothingTold();
    }

    @Test
    void aWorkingClientShowsNoPartOfItsPasswordWhateverGoesWrongLater() throws Exception {
        try (EmbeddedRedis server =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(SECRET));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port())) {
            RedisUri uri = RedisUri.of(network.host(), network.port()).withPassword(SECRET);
            transcript.failing(() ->
                    RedisClient.connect(uri.withPassword("another" + SECRET)).close());
            transcript.failing(() -> RedisClient.connect(uri.withTls()).close());
            try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                    .inFlight(1)
                    .poolSize(1)
                    .commandTimeout(Duration.ofMillis(200))
                    .build())) {
                beUnlucky(client, network);
                transcript.add(client);
                transcript.add(client.account());
                Thread.getAllStackTraces().keySet().forEach(transcript::add);
                server.kill();
                transcript.failing(() -> client.call(Strings.set("k", "v")));
                transcript.add(client.health(Duration.ofMillis(100)));
                transcript.failing(() -> client.subscribe(Topics.channels("c")).close());
            }
        }

        assertThat(log.lines()).isNotEmpty();
        assertNothingTold();
    }

    private void beUnlucky(RedisClient client, FaultProxy network) {
        try (DedicatedConnection connection = client.borrow()) {
            transcript.failing(client::borrow);
            transcript.failing(() -> connection.call(Command.of("AUTH", "nobody", SECRET)));
            transcript.failing(() -> connection.call(Command.of("AUTH", "too", "many", SECRET)));
            transcript.failing(() -> connection.call(Command.of("CONFIG SET", "no-such-setting", SECRET)));
            transcript.add(connection);
        }
        transcript.failing(() -> client.call(Strings.set("k", "v").as(Replies::integer)));
        transcript.failing(() -> client.call(Command.of("MULTI", SECRET)));
        transcript.failing(() -> client.call(Command.of("SELECT", SECRET)));
        network.stall(Direction.TO_SERVER);
        CompletableFuture<String> slow = client.send(Strings.set("k", SECRET));
        transcript.failing(() -> client.call(Strings.set("k", SECRET)));
        transcript.failing(() -> awaitFailure(slow));
        Pipeline pipeline = client.pipeline();
        transcript.add(pipeline.add(Strings.set("k", SECRET)));
        pipeline.run().forEach(result -> {
            transcript.add(result);
            transcript.failing(result::value);
        });
        network.disconnectAll(Ending.RESET);
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

    private void assertNothingTold() throws Exception {
        // Whatever the test has thrown: one that is sure to be recorded shows that exceptions are.
        assertThatThrownBy(() -> {
                    throw new IllegalStateException("a sign of life");
                })
                .hasMessage("a sign of life");
        recording.stop();
        Path file = directory.resolve("recording.jfr");
        recording.dump(file);
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        events.forEach(event -> transcript.add(event.toString()));
        log.lines().forEach(transcript::add);

        assertThat(events).extracting(event -> event.getEventType().getName()).contains("jdk.JavaExceptionThrow");
        assertThat(transcript.tellingOf(SECRET)).isEmpty();
    }
}
