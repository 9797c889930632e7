// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every mode over TLS, and connections that are lost and replaced there. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TlsModesTest {

    @TempDir
    private static Path folder;

    private static TestCertificates certificates;
    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private FaultProxy proxy;

    @BeforeAll
    static void startServer() throws IOException {
        certificates = new TestCertificates(Files.createDirectory(folder.resolve("certificates")));
        Path valid = certificates.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        server = EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(valid, certificates.key(), certificates.authority(), false)));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openProxy() {
        proxy = FaultProxy.inFrontOf("127.0.0.1", server.tlsPort().orElseThrow());
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    private ClientOptions.Builder options() {
        return WatchedClients.options(RedisUri.of("127.0.0.1", proxy.port()).withTls())
                .tls(TlsOptions.DEFAULT.trusting(certificates.authority()));
    }

    @ParameterizedTest
    @EnumSource
    void everyModeWorks(Protocol protocol) throws Exception {
        try (RedisClient client = clients.connect(options().protocol(protocol).build());
                Subscription subscription = client.subscribe(Topics.channels("news"))) {

            Pipeline pipeline = client.pipeline();
            Result<String> large = pipeline.add(Server.echo("x".repeat(3_000_000)));
            for (int i = 0; i < 2_000; i++) {
                pipeline.add(Server.echo("message " + i));
            }
            assertThat(pipeline.run()).hasSize(2_001).allMatch(Result::ok);
            assertThat(large.value()).hasSize(3_000_000);
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("k", "v"));
            assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
            CompletableFuture<String> popped = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> popped.complete(client.call(Lists.awaitLeft(PATIENCE, "list"))
                            .orElseThrow()
                            .element()));
            client.call(Lists.pushRight("list", "element"));
            assertThat(popped.get()).isEqualTo("element");
            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).hasValue("v");
            }
            client.call(PubSub.publish("news", "encrypted"));
            assertThat(subscription.poll(PATIENCE).orElseThrow().text()).isEqualTo("encrypted");
        }
    }

    @ParameterizedTest
    @EnumSource
    void lostConnectionsAreReplacedByVerifiedOnes(Ending ending) {
        try (RedisClient client = clients.connect(
                        options().commandTimeout(Duration.ofMillis(300)).build());
                Subscription subscription = client.subscribe(Topics.channels("news"))) {
            for (int round = 1; round <= 2; round++) {
                int losses = round;
                proxy.disconnectAll(ending);
                if (ending == Ending.SILENCE) {
                    // Only who waits for an answer notices.
                    assertThat(client.send(Server.ping())).failsWithin(PATIENCE);
                }
                Eventually.await(
                        "both are replaced",
                        () -> client.account().reconnections() == losses
                                && subscription.gaps() == losses
                                && client.isOpen()
                                && subscription.isOpen());

                assertThat(client.call(Server.ping().within(PATIENCE))).isEqualTo("PONG");
                client.call(PubSub.publish("news", "again").within(PATIENCE));
                assertThat(subscription.poll(PATIENCE)).isPresent();
            }
        }
    }

    @Test
    void aQuietSubscriptionIsAskedForASignOfLifeAndKept() {
        try (RedisClient client = clients.connect(
                        options().commandTimeout(Duration.ofMillis(60)).build());
                Subscription subscription = client.subscribe(Topics.channels("quiet"))) {
            int accepted = proxy.acceptedConnections();
            long asked = proxy.forwardedBytes(Direction.TO_SERVER);

            assertThat(subscription.poll(Duration.ofMillis(500))).isEmpty();

            assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isGreaterThan(asked);
            assertThat(proxy.acceptedConnections()).isEqualTo(accepted);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void recordsThatTrickleInAreWholeThoughReadingGivesUpInTheirMiddle() {
        Random random = new Random(11);
        try (RedisClient publisher = clients.connect(WatchedClients.uri(server));
                RedisClient client = clients.connect(
                        options().commandTimeout(Duration.ofMillis(200)).build());
                Subscription subscription = client.subscribe(Topics.channels("slow"))) {
            proxy.faults(
                    Direction.TO_CLIENT, Faults.NONE.withBytesPerSecond(1_000).withWriteBytes(1));
            for (int i = 0; i < 6; i++) {
                byte[] payload = new byte[60];
                random.nextBytes(payload);
                long before = proxy.forwardedBytes(Direction.TO_CLIENT);

                publisher.call(Command.of("PUBLISH", "slow", payload));
                // Stopped within the record, for longer than the subscription waits before it asks for a sign of life.
                proxy.awaitForwarded(Direction.TO_CLIENT, before + 5 + 20L * i, PATIENCE);
                proxy.stall(Direction.TO_CLIENT);
                assertThat(subscription.poll(Duration.ofMillis(260))).isEmpty();
                proxy.resume(Direction.TO_CLIENT);

                assertThat(subscription.poll(PATIENCE).orElseThrow().payload()).isEqualTo(payload);
            }
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void renewedFilesAreTakenUpWithTheNextConnection() throws IOException {
        Path authority = Files.copy(certificates.authority(), folder.resolve("renewed.pem"));
        TlsOptions tls = TlsOptions.DEFAULT.trusting(authority);
        try (RedisClient client = clients.connect(options().tls(tls).build())) {
            Files.writeString(authority, "not a certificate");
            proxy.disconnectAll(Ending.RESET);
            Eventually.await(
                    "the bad file is named",
                    () -> log.warnings().stream().anyMatch(line -> line.contains("cannot use the TLS files")));

            Files.copy(certificates.authority(), authority, StandardCopyOption.REPLACE_EXISTING);
            Eventually.await("it is connected again", client::isOpen);

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }
}
