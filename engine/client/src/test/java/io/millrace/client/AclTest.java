// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
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

/**
 * Tests users and permissions (ACL) on a real server. A refused login or command fails at once with a typed exception
 * that names the cause. The client does not flood the server with repeated logins.
 */
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
    void refusedLoginFailsAtOnceWithItsReason(Protocol protocol) {
        user("guest", "off");
        RedisUri open = uri(server);
        record Login(RedisUri uri, String words) {}
        for (Login login : List.of(
                new Login(open, "NOAUTH"),
                new Login(open.withPassword("marked-wrong"), "WRONGPASS"),
                new Login(open.withLogin("worker", "marked-wrong"), "as user worker"),
                new Login(open.withLogin("nobody", "marked-wrong"), "WRONGPASS"),
                new Login(open.withLogin("guest", PASSWORD), "WRONGPASS"))) {
            long before = System.nanoTime();

            ConnectException failure = catchThrowableOfType(
                    ConnectException.class,
                    () -> clients.connect(login.uri, options -> options.protocol(protocol))
                            .close());

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure).hasMessageContainingAll("cannot log in to redis://", login.words);
            assertThat(failure.toString()).doesNotContain("marked");
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheCommandWithoutPermissionFailsAndTheConnectionStaysOpen(Protocol protocol) {
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
    void allCallsOfADeletedUserFailAtOnceWithFewLogins() throws Exception {
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
            Eventually.await("the failure names its cause", () -> {
                last.set(catchThrowable(() -> client.call(Server.ping())));
                return String.valueOf(last.get()).contains("WRONGPASS");
            });
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            Eventually.await(
                    "callers made many more calls", () -> client.counts().lost() > 2_000);
            over.set(true);
            for (Thread caller : callers) {
                caller.join();
            }

            assertThat(took).isLessThan(SHORT_LIMIT);
            assertThat(last.get())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContainingAll("as user worker", "WRONGPASS");
            assertThat(unexpected).hasValue(null);
            // Each of the two connections waits for half a second or more after each refused login.
            long halfSeconds = Duration.ofNanos(System.nanoTime() - before).toMillis() / 500;
            assertThat(connectionsSoFar() - connected).isLessThanOrEqualTo(2 * (halfSeconds + 1));
            assertThat(client.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientWorksAgainAfterItsRefusedLoginIsAccepted(Protocol protocol) {
        try (RedisClient client =
                clients.connect(worker(), options -> options.protocol(protocol).connections(2))) {
            admin.call(Command.of("ACL SETUSER", "worker", "off"));
            admin.call(Command.of("CLIENT KILL", "USER", "worker"));
            Eventually.await(
                    "both logins are refused",
                    () -> client.health(TIMEOUT).connections().stream()
                            .allMatch(connection -> String.valueOf(connection).contains("WRONGPASS")));
            assertThat(client.isOpen()).isFalse();
            assertThat(client.stats().connections()).noneMatch(ConnectionStats::open);
            assertThat(log.warnings())
                    .anyMatch(line -> line.contains("as user worker")
                            && line.contains("WRONGPASS")
                            && line.contains("The client tries again within 1000 ms"));
            long before = System.nanoTime();

            admin.call(Command.of("ACL SETUSER", "worker", "on"));
            Eventually.await("both connections work", client::isOpen);

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.stats().reconnections()).isEqualTo(2);
        }
    }

    @Test
    void clientWorksAgainAfterAPasswordThatItDoesNotKnowIsRemoved() {
        try (EmbeddedRedis open = EmbeddedRedis.start();
                RedisClient operator = clients.connect(uri(open));
                RedisClient client = clients.connect(uri(open))) {
            operator.call(Command.of("CONFIG SET", "requirepass", "marked-new"));
            operator.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            Eventually.await(
                    "the login is refused",
                    () -> String.valueOf(catchThrowable(() -> client.call(Server.ping())))
                            .contains("NOAUTH"));

            operator.call(Command.of("CONFIG SET", "requirepass", ""));

            Eventually.await("the connection works", client::isOpen);
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }

    @Test
    void blockingCallsOfADeletedUserFailAndTryAtMostOneLoginPerSecond() {
        try (RedisClient client = clients.connect(worker())) {
            long connected = connectionsSoFar();
            admin.call(Command.of("ACL DELUSER", "worker"));
            long before = System.nanoTime();
            int attempts = 0;

            while (attempts <= 10
                    || System.nanoTime() - before < Duration.ofMillis(500).toNanos()) {
                assertThatThrownBy(() -> client.call(Lists.awaitLeft(TIMEOUT, "list")))
                        .isInstanceOfSatisfying(
                                ConnectException.class,
                                failure -> assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION))
                        .hasMessageContaining("WRONGPASS");
                attempts++;
            }

            // Expected logins: at most one for the shared connection in each half second, and at most one for dedicated
            // connections in each second of the clock. The loop lasts n whole seconds and a fraction of a second. This
            // time overlaps at most n + 2 seconds of the clock.
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            assertThat(connectionsSoFar() - connected)
                    .isLessThanOrEqualTo(took.toMillis() / 500 + 1 + took.toSeconds() + 2);
        }
    }

    @Test
    void connectionCanBeBorrowedAgainAfterItsUserIsEnabled() {
        try (RedisClient client = clients.connect(
                worker(), options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(50)))) {
            admin.call(Command.of("ACL SETUSER", "worker", "off"));
            assertThatThrownBy(client::borrow).isInstanceOf(ConnectException.class);

            admin.call(Command.of("ACL SETUSER", "worker", "on"));

            Eventually.await("the login succeeds", () -> {
                try (DedicatedConnection connection = client.borrow()) {
                    return connection.call(Server.ping()).equals("PONG");
                } catch (ConnectException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void commandsInFlightAreLostWhenTheirUserIsDeleted() {
        try (RedisClient client = clients.connect(worker());
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            CompletableFuture<Throwable> blocked = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> blocked.complete(catchThrowable(() -> client.call(Lists.awaitLeft(TIMEOUT, "list")))));
            Eventually.await(
                    "the command is blocked on the server",
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
