// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a server on a Unix socket. The client works in the same way as over TCP. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class UnixSocketTest {

    private static EmbeddedRedis server;

    @TempDir
    private Path folder;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start(EmbeddedOptions.defaults().withUnixSocket().withPassword("secret"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static RedisUri socket() {
        return RedisUri.unix(server.unixSocket().orElseThrow()).withPassword("secret");
    }

    @ParameterizedTest
    @EnumSource
    void everyModeWorksOverAUnixSocket(Protocol protocol) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        try (RedisClient client = clients.connect(socket(), options -> options.protocol(protocol));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> outcomes.add(outcome));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {

            client.call(Strings.set("k", "v"));
            assertThat(client.send(Strings.get("k")).get()).hasValue("v");
            Pipeline pipeline = client.pipeline();
            Result<String> echoed = pipeline.add(Server.echo("x".repeat(3_000_000)));
            pipeline.run();
            assertThat(echoed.value()).hasSize(3_000_000);
            Transaction transaction = client.transaction();
            Result<Long> counted = transaction.add(Strings.increment("counter:" + protocol));
            assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(counted.value()).isEqualTo(1);
            for (int i = 0; i < 10_000; i++) {
                writer.begin(Strings.SET).arg("bulk:" + i).arg("value").end(i);
            }
            writer.finish();
            assertThat(writer.counts().ok()).isEqualTo(10_000);
            assertThat(outcomes).hasSize(10_000);
            client.call(PubSub.publish("news", "over the socket"));
            assertThat(subscription.poll(TIMEOUT).orElseThrow().text()).isEqualTo("over the socket");
        }
    }

    @Test
    void blockingCommandUsesASeparateConnectionToTheUnixSocket() throws Exception {
        try (RedisClient client = clients.connect(socket())) {
            CompletableFuture<String> popped = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> popped.complete(client.call(Lists.awaitLeft(TIMEOUT, "list"))
                            .orElseThrow()
                            .element()));
            Eventually.await(
                    "the command is blocked on the server",
                    () -> client.call(Server.info("clients")).contains("blocked_clients:1"));

            client.call(Lists.pushRight("list", "element"));

            assertThat(popped.get()).isEqualTo("element");
        }
    }

    @ParameterizedTest
    @EnumSource
    void lostUnixSocketConnectionsAreReplaced(Protocol protocol) {
        try (RedisClient admin = clients.connect(socket());
                RedisClient client = clients.connect(socket(), options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            admin.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            admin.call(Command.of("CLIENT KILL", "TYPE", "pubsub"));
            Eventually.await(
                    "both connections are replaced",
                    () -> client.stats().reconnections() == 1
                            && subscription.gaps() == 1
                            && client.isOpen()
                            && subscription.isOpen());

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            admin.call(PubSub.publish("news", "again"));
            assertThat(subscription.poll(TIMEOUT)).isPresent();
        }
    }

    @Test
    void databaseInTheUriOfAUnixSocketIsSelected() {
        RedisUri other = RedisUri.parse("unix://:secret@" + server.unixSocket().orElseThrow() + "?db=3");
        try (RedisClient zero = clients.connect(socket());
                RedisClient three = clients.connect(other)) {
            three.call(Strings.set("only-in-3", "v"));

            assertThat(zero.call(Strings.get("only-in-3"))).isEmpty();
            assertThat(three.call(Strings.get("only-in-3"))).hasValue("v");
        }
    }

    @Test
    void missingOrInvalidUnixSocketIsReported() throws IOException {
        Path missing = folder.resolve("missing.sock");
        Path file = Files.createFile(folder.resolve("file"));
        Path tooLong = folder.resolve("x".repeat(150));
        for (Path wrong : List.of(missing, file, tooLong)) {
            long before = System.nanoTime();

            ConnectException failure = catchThrowableOfType(
                    ConnectException.class,
                    () -> clients.connect(RedisUri.unix(wrong)).close());

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(failure)
                    .hasMessageStartingWith("cannot connect to unix://" + wrong + ": ")
                    .hasMessageEndingWith("Check the path of the socket, and that the server runs.")
                    .hasMessageNotContaining("host");
        }
    }
}
