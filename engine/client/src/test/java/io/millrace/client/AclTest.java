// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.PATIENCE;
import static io.millrace.client.WatchedClients.SOON;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Users and their rights on a real server: each refusal is a typed error that names its cause, soon and once. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class AclTest {

    private static final String ADMIN_PASSWORD = "marked-admin-secret";
    private static final String PASSWORD = "marked-user-secret";

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private RedisClient admin;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(ADMIN_PASSWORD));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void logIn() {
        admin = clients.connect(uri(server).withPassword(ADMIN_PASSWORD));
        user("worker", "~*", "&*", "+@all");
    }

    @AfterEach
    void logOut() {
        admin.call(Command.of("ACL DELUSER", "worker", "guest"));
        admin.close();
        assertThat(log.lines().toString()).doesNotContain("marked");
    }

    private void user(String name, String... rights) {
        List<Object> arguments = new ArrayList<>(List.of(name, "reset", "on", ">" + PASSWORD));
        arguments.addAll(List.of(rights));
        admin.call(Command.of("ACL SETUSER", arguments.toArray()));
    }

    private static RedisUri worker() {
        return uri(server).withLogin("worker", PASSWORD);
    }

    @ParameterizedTest
    @EnumSource
    void whoIsNotLetInLearnsWhySoon(Protocol protocol) {
        user("guest", "off");
        RedisUri open = uri(server);
        record Try(RedisUri uri, String words) {}
        for (Try one : List.of(
                new Try(open, "NOAUTH"),
                new Try(open.withPassword("marked-wrong"), "WRONGPASS"),
                new Try(open.withLogin("worker", "marked-wrong"), "as user worker"),
                new Try(open.withLogin("nobody", "marked-wrong"), "WRONGPASS"),
                new Try(open.withLogin("guest", PASSWORD), "WRONGPASS"))) {
            long before = System.nanoTime();

            ConnectException failure = catchThrowableOfType(
                    ConnectException.class,
                    () -> clients.connect(one.uri, options -> options.protocol(protocol))
                            .close());

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure).hasMessageContainingAll("cannot log in to redis://", one.words);
            assertThat(failure.toString()).doesNotContain("marked");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommandWithoutARightToItFailsAloneAndTheConnectionGoesOn(Protocol protocol) {
        user("worker", "~own:*", "+@all", "-flushdb", "-client", "-select");
        try (RedisClient client = clients.connect(worker(), options -> options.protocol(protocol))) {
            ErrorReplyException command =
                    catchThrowableOfType(ErrorReplyException.class, () -> client.call(Server.flush()));
            ErrorReplyException key =
                    catchThrowableOfType(ErrorReplyException.class, () -> client.call(Strings.get("others")));
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.set("own:1", "v"));
            pipeline.add(Strings.set("others", "v"));
            List<Result<?>> results = pipeline.run();

            assertThat(command.code()).isEqualTo("NOPERM");
            assertThat(command).hasMessageStartingWith("FLUSHDB failed: NOPERM").hasMessageContaining("flushdb");
            assertThat(key.code()).isEqualTo("NOPERM");
            assertThat(results.stream().map(Result::ok)).containsExactly(true, false);
            try (DedicatedConnection connection = client.borrow()) {
                assertThatThrownBy(() -> connection.call(Command.of("SELECT", 1)))
                        .isInstanceOf(ErrorReplyException.class);
                assertThat(connection.call(Strings.get("own:1"))).hasValue("v");
            }
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void callersOfADeletedUserLearnItSoonAndTheServerIsLeftInPeace() throws Exception {
        try (RedisClient client = clients.connect(worker(), options -> options.connections(2))) {
            AtomicBoolean over = new AtomicBoolean();
            AtomicReference<Throwable> unexpected = new AtomicReference<>();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                callers.add(Thread.ofVirtual().start(() -> {
                    while (!over.get()) {
                        Throwable failure = catchThrowable(() -> client.call(Server.ping()));
                        if (failure != null && !(failure instanceof ConnectionLostException)) {
                            unexpected.set(failure);
                        }
                    }
                }));
            }
            long connected = connectionsSoFar();
            long before = System.nanoTime();

            admin.call(Command.of("ACL DELUSER", "worker"));
            AtomicReference<Throwable> last = new AtomicReference<>();
            Eventually.await("the cause is told", () -> {
                last.set(catchThrowable(() -> client.call(Server.ping())));
                return String.valueOf(last.get()).contains("WRONGPASS");
            });
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            Eventually.await(
                    "callers went on for a while", () -> client.counts().lost() > 2_000);
            over.set(true);
            for (Thread caller : callers) {
                caller.join();
            }

            assertThat(took).isLessThan(SOON);
            assertThat(last.get())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContainingAll("as user worker", "WRONGPASS");
            assertThat(unexpected).hasValue(null);
            assertThat(connectionsSoFar() - connected).isLessThanOrEqualTo(2);
            assertThat(client.isOpen()).isFalse();
        }
    }

    @Test
    void borrowersOfADeletedUserLearnItSoonAndTheServerIsLeftInPeace() {
        try (RedisClient client = clients.connect(worker())) {
            long connected = connectionsSoFar();
            admin.call(Command.of("ACL DELUSER", "worker"));
            long before = System.nanoTime();
            int attempts = 0;

            while (System.nanoTime() - before < Duration.ofMillis(500).toNanos()) {
                assertThatThrownBy(() -> client.call(Lists.awaitLeft(PATIENCE, "list")))
                        .isInstanceOfSatisfying(
                                ConnectException.class,
                                failure -> assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION))
                        .hasMessageContaining("WRONGPASS");
                attempts++;
            }

            assertThat(attempts).isGreaterThan(10);
            // One for the shared connection, one for the borrowers, who are not all the same second's.
            assertThat(connectionsSoFar() - connected).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void aBorrowerIsLetInAgainSoonAfterItsUserIsBack() {
        try (RedisClient client = clients.connect(
                worker(), options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(50)))) {
            admin.call(Command.of("ACL SETUSER", "worker", "off"));
            assertThatThrownBy(client::borrow).isInstanceOf(ConnectException.class);

            admin.call(Command.of("ACL SETUSER", "worker", "on"));

            Eventually.await("it is let in", () -> {
                try (DedicatedConnection connection = client.borrow()) {
                    return connection.call(Server.ping()).equals("PONG");
                } catch (ConnectException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void whatIsInFlightWhenAUserIsDeletedIsLostWithItsConnection() {
        try (RedisClient client = clients.connect(worker());
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            CompletableFuture<Throwable> blocked = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() ->
                            blocked.complete(catchThrowable(() -> client.call(Lists.awaitLeft(PATIENCE, "list")))));
            Eventually.await(
                    "it waits on the server",
                    () -> admin.call(Server.info("clients")).contains("blocked_clients:1"));

            admin.call(Command.of("ACL DELUSER", "worker"));
            Eventually.await("the bulk connection is gone", () -> !writer.isOpen());
            writer.begin(Strings.SET).arg("k").arg("v").end(1);
            writer.finish();

            assertThat(blocked.join())
                    .isInstanceOfSatisfying(
                            ConnectionLostException.class,
                            lost -> assertThat(lost.maybeExecuted()).isTrue());
            assertThat(writer.counts().ok()).isZero();
        }
    }

    private long connectionsSoFar() {
        Matcher matcher =
                Pattern.compile("total_connections_received:(\\d+)").matcher(admin.call(Server.info("stats")));
        assertThat(matcher.find()).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
