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
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests credentials that change, on a real server with ACL users. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CredentialsTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** The credentials that the provider returns. */
    private final AtomicReference<Credentials> current = new AtomicReference<>(Credentials.of("one", "marked-1"));

    private RedisClient admin;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void createUsers() {
        admin = clients.connect(uri(server));
        admin.call(Command.of("ACL SETUSER", "one", "reset", "on", ">marked-1", "~*", "&*", "+@all"));
        admin.call(Command.of("ACL SETUSER", "two", "reset", "on", ">marked-2", "~*", "&*", "+@all"));
    }

    @AfterEach
    void deleteUsers() {
        admin.call(Command.of("ACL DELUSER", "one", "two"));
        admin.call(Server.flush());
        admin.close();
        assertThat(log.lines().toString()).doesNotContain("marked");
    }

    private RedisClient connect(UnaryOperator<ClientOptions.Builder> change) {
        return clients.connect(
                uri(server),
                options -> change.apply(options.credentials(current::get).name("tested")));
    }

    /** Returns the users of the connections of the tested client. */
    private List<String> usersOfConnections() {
        return admin.call(Command.of("CLIENT LIST").as(Replies::text))
                .lines()
                .filter(line -> line.contains("name=tested"))
                .map(line -> line.replaceAll(".* user=(\\S+).*", "$1"))
                .toList();
    }

    // Rotation and expiry.

    @ParameterizedTest
    @EnumSource
    void passwordChangesUnderTrafficAndNoCommandIsLost(Protocol protocol) throws Exception {
        try (RedisClient client = connect(options -> options.protocol(protocol).connections(2));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger wrong = new AtomicInteger();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String key = "counter:" + i;
                Thread.Builder builder = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
                callers.add(builder.start(() -> {
                    for (long n = 1; !over.get(); n++) {
                        Pipeline pipeline = client.pipeline();
                        Result<Long> added = pipeline.add(Strings.increment(key));
                        Result<String> set = pipeline.add(Strings.set(key + ":set", key));
                        pipeline.run();
                        if (added.value() != n
                                || !set.value().equals("OK")
                                || !client.call(Strings.get(key + ":set"))
                                        .orElse("")
                                        .equals(key)) {
                            wrong.incrementAndGet();
                        }
                    }
                }));
            }

            for (int round = 2; round < 22; round++) {
                admin.call(Command.of("ACL SETUSER", "one", ">marked-round-" + round));
                current.set(Credentials.of("one", "marked-round-" + round));
                client.renewLogin();
                admin.call(Command.of("ACL SETUSER", "one", "resetpass", ">marked-round-" + round));
                for (int i = 0; i < 100; i++) {
                    writer.begin(Strings.SET).arg("bulk:" + i).arg("v").end(i);
                }
            }
            over.set(true);
            for (Thread caller : callers) {
                caller.join();
            }
            writer.finish();

            assertThat(wrong).hasValue(0);
            CommandCounts counts = client.counts();
            assertThat(counts.ok()).isEqualTo(counts.submitted()).isGreaterThan(100);
            assertThat(writer.counts().ok()).isEqualTo(20 * 100);
            assertThat(client.stats().reconnections()).isZero();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void lostConnectionLogsInWithTheNewPassword() {
        try (RedisClient client = connect(options -> options.connections(2));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            current.set(Credentials.of("one", "marked-new"));

            admin.call(Command.of("ACL SETUSER", "one", "<marked-1", ">marked-new"));
            admin.call(Command.of("CLIENT KILL", "USER", "one"));
            Eventually.await(
                    "all connections are replaced",
                    () -> client.stats().reconnections() == 2 && subscription.gaps() == 1 && subscription.isOpen());

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(log.warnings()).noneMatch(line -> line.contains("WRONGPASS"));
        }
    }

    // Renewed logins.

    @ParameterizedTest
    @EnumSource
    void connectionsOfAllKindsLogInAgain(Protocol protocol) {
        try (RedisClient client = connect(options -> options.protocol(protocol).connections(2));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {});
                DedicatedConnection dedicated = client.borrow()) {
            CommandCounts before = client.counts();
            assertThat(usersOfConnections()).hasSize(5).containsOnly("one");

            current.set(Credentials.of("two", "marked-2"));
            client.renewLogin();
            writer.begin(Strings.SET).arg("k").arg("v").end(1);
            writer.finish();

            // Over RESP2, a subscription cannot send AUTH.
            int old = protocol == Protocol.RESP2 ? 1 : 0;
            Eventually.await(
                    "the connections use the new user",
                    () -> usersOfConnections().stream().filter("two"::equals).count() == 5 - old);
            assertThat(dedicated.call(Command.of("ACL WHOAMI").as(Replies::text)))
                    .contains("two");
            assertThat(writer.counts().ok()).isOne();
            admin.call(PubSub.publish("news", "message"));
            assertThat(subscription.poll(TIMEOUT).map(Message::text)).contains("message");
            assertThat(subscription.gaps()).isZero();
            assertThat(client.counts().submitted() - before.submitted()).isEqualTo(2);
            assertThat(client.counts().pending()).isZero();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void trackingContinuesAfterARenewedLogin() {
        try (RedisClient client = connect(options -> options);
                Tracking tracking =
                        client.track(TrackingOptions.prefixes("user:").withPingInterval(Duration.ofMillis(50)))) {
            current.set(Credentials.of("two", "marked-2"));

            client.renewLogin();
            Eventually.await(
                    "both connections use the new user",
                    () -> usersOfConnections().equals(List.of("two", "two")));
            admin.call(Strings.set("user:1", "v"));

            assertThat(tracking.poll(TIMEOUT)).contains(new Invalidation.ChangedKeys(List.of("user:1")));
            Eventually.await("the tracking is up to date", tracking::isUpToDate);
        }
    }

    @Test
    void blockedConnectionLogsInAfterItsCommandAndDelaysNoRenewal() throws Exception {
        try (RedisClient client = connect(options -> options)) {
            CompletableFuture<Optional<?>> popped = new CompletableFuture<>();
            Thread popper =
                    Thread.ofVirtual().start(() -> popped.complete(client.call(Lists.awaitLeft(TIMEOUT, "list"))));
            Eventually.await(
                    "the command is blocked on the server",
                    () -> admin.call(Server.info("clients")).contains("blocked_clients:1"));
            long before = System.nanoTime();

            for (int i = 0; i < 100; i++) {
                current.set(i % 2 == 0 ? Credentials.of("two", "marked-2") : Credentials.of("one", "marked-1"));
                client.renewLogin();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            current.set(Credentials.of("two", "marked-2"));
            client.renewLogin();
            admin.call(Lists.pushRight("list", "element"));
            popper.join();

            assertThat(took).isLessThan(SHORT_LIMIT);
            assertThat(popped.join()).isPresent();
            Eventually.await(
                    "both connections use the new user",
                    () -> usersOfConnections().equals(List.of("two", "two")));
        }
    }

    @Test
    void borrowerKeepsTheLoginOfItsOwnCommand() {
        try (RedisClient client = connect(options -> options);
                DedicatedConnection dedicated = client.borrow()) {
            dedicated.call(Command.of("AUTH", "two", "marked-2"));

            client.renewLogin();

            assertThat(dedicated.call(Command.of("ACL WHOAMI").as(Replies::text)))
                    .contains("two");
        }
    }

    @Test
    void refusedRenewalIsReportedAndTheConnectionKeepsItsLogin() {
        try (RedisClient client = connect(options -> options)) {
            current.set(Credentials.of("one", "marked-wrong"));

            ConnectException failure = catchThrowableOfType(ConnectException.class, client::renewLogin);

            assertThat(failure.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(failure)
                    .hasMessageContainingAll("connection 1", "WRONGPASS", "The connection keeps its earlier login")
                    .hasMessageNotContaining("marked");
            Eventually.await(
                    "the log names the connection",
                    () -> log.warnings().toString().contains("on the connection 1: WRONGPASS"));
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.stats().reconnections()).isZero();

            current.set(Credentials.of("two", "marked-2"));
            client.renewLogin();

            assertThat(usersOfConnections()).containsOnly("two");
        }
    }

    @Test
    void renewalEndsTheDelayAfterARefusedLogin() {
        try (RedisClient client =
                connect(options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMinutes(10)))) {
            admin.call(Command.of("ACL SETUSER", "one", "<marked-1", ">marked-new"));
            admin.call(Command.of("CLIENT KILL", "USER", "one"));
            Eventually.await(
                    "the login is refused",
                    () -> String.valueOf(catchThrowable(() -> client.call(Server.ping())))
                            .contains("WRONGPASS"));
            assertThatThrownBy(client::borrow).hasMessageContaining("WRONGPASS");
            current.set(Credentials.of("one", "marked-new"));

            client.renewLogin();

            Eventually.await("the client works", client::isOpen);
            client.borrow().close();
        }
    }

    // Providers that fail.

    @Test
    void failedProviderCountsAsARefusedLogin() {
        AtomicReference<CredentialsProvider> provider = new AtomicReference<>(current::get);
        try (RedisClient client = clients.connect(
                uri(server),
                options -> options.credentials(() -> provider.get().credentials())
                        .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(50)))) {
            provider.set(() -> {
                throw new IOException("marked-message");
            });
            assertThatThrownBy(client::renewLogin)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("the credentials provider threw java.io.IOException");
            admin.call(Command.of("CLIENT KILL", "USER", "one"));
            Eventually.await(
                    "the cause is reported",
                    () -> String.valueOf(catchThrowable(() -> client.call(Server.ping())))
                            .contains("the credentials provider threw java.io.IOException"));
            assertThat(client.isOpen()).isFalse();

            provider.set(current::get);

            Eventually.await("the client works again", client::isOpen);
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // a provider returns null
    void connectFailsIfTheProviderReturnsNoCredentialsInTime() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();

        ConnectException slow = failureOf(() -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
            return Credentials.none();
        });
        ConnectException none = failureOf(() -> null);

        assertThat(slow.reason()).isEqualTo(Reason.AUTHENTICATION);
        assertThat(slow).hasMessageContaining("the credentials provider returned nothing within 300 ms");
        Eventually.await("the provider was interrupted", interrupted::get);
        assertThat(none.reason()).isEqualTo(Reason.AUTHENTICATION);
        assertThat(none).hasMessageContaining("the credentials provider returned null");
    }

    private ConnectException failureOf(CredentialsProvider provider) {
        return catchThrowableOfType(
                ConnectException.class,
                () -> clients.connect(
                                uri(server),
                                options -> options.credentials(provider).connectTimeout(Duration.ofMillis(300)))
                        .close());
    }

    // Values.

    @Test
    void passwordIsNeverShownAndAUriWithAPasswordExcludesAProvider() {
        RedisUri uri = uri(server).withLogin("one", "marked-1");

        assertThat(Credentials.of("one", "marked-1")).hasToString("Credentials[user=one]");
        assertThat(Credentials.ofPassword("marked-1")).hasToString("Credentials[user=default]");
        assertThat(ClientOptions.of(uri).toString()).doesNotContain("marked");
        assertThatThrownBy(() -> Credentials.of("one", "")).hasMessageContaining("the password is empty");
        assertThatThrownBy(() ->
                        ClientOptions.builder(uri).credentials(current::get).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Remove the password from the URI");
    }
}
