// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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

/** Tests every call mode over TLS, and how the client replaces lost TLS connections. */
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
        return options(proxy.port());
    }

    private static ClientOptions.Builder options(int port) {
        return WatchedClients.options(RedisUri.of("127.0.0.1", port).withTls())
                .tls(TlsOptions.DEFAULT.trusting(certificates.authority()));
    }

    @ParameterizedTest
    @EnumSource
    void everyModeWorksOverTls(Protocol protocol) throws Exception {
        try (RedisClient client = clients.connect(options().protocol(protocol).build());
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {

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
                    .start(() -> popped.complete(client.call(Lists.awaitLeft(TIMEOUT, "list"))
                            .orElseThrow()
                            .element()));
            client.call(Lists.pushRight("list", "element"));
            assertThat(popped.get(60, TimeUnit.SECONDS)).isEqualTo("element");
            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).hasValue("v");
            }
            client.call(PubSub.publish("news", "encrypted"));
            assertThat(subscription.poll(TIMEOUT).orElseThrow().text()).isEqualTo("encrypted");
        }
    }

    /** The command timeout is 60 s. A change that waited for a PING would take as long, and would time out. */
    @ParameterizedTest
    @EnumSource
    void topicsOfAnIdleSubscriptionOverTlsAreAddedAndRemoved(Protocol protocol) {
        try (RedisClient client = clients.connect(options().protocol(protocol).build());
                Subscription subscription = client.subscribe(SubscribeOptions.channels("first"))) {

            subscription.subscribe(Topic.channel("second"), Topic.pattern("p*"), Topic.shardChannel("shard"));
            subscription.unsubscribe(Topic.channel("first"));

            assertThat(client.call(PubSub.publish("first", "1"))).isZero();
            assertThat(client.call(PubSub.publish("second", "2"))).isOne();
            assertThat(client.call(PubSub.publishToShard("shard", "3"))).isOne();
            assertThat(subscription.poll(TIMEOUT).map(Message::text)).contains("2");
            assertThat(subscription.poll(TIMEOUT).map(Message::text)).contains("3");
            assertThat(subscription.gaps()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void lostTlsConnectionsAreReplacedByVerifiedConnections(ConnectionEnd connectionEnd) {
        // Only a silent connection is detected by a timeout, so only this case needs a short timeout.
        Duration timeout = connectionEnd == ConnectionEnd.SILENCE ? Duration.ofSeconds(1) : TIMEOUT;
        try (RedisClient client =
                        clients.connect(options().commandTimeout(timeout).build());
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            for (int round = 1; round <= 2; round++) {
                int losses = round;
                proxy.disconnectAll(connectionEnd);
                if (connectionEnd == ConnectionEnd.SILENCE) {
                    // A silent shared connection is detected only if a command waits for its reply.
                    assertThat(client.send(Server.ping())).failsWithin(TIMEOUT);
                }
                Eventually.await(
                        "both connections are replaced",
                        () -> client.stats().reconnections() == losses
                                && subscription.gaps() == losses
                                && client.isOpen()
                                && subscription.isOpen());

                assertThat(client.call(Server.ping().within(TIMEOUT))).isEqualTo("PONG");
                client.call(PubSub.publish("news", "again").within(TIMEOUT));
                assertThat(subscription.poll(TIMEOUT)).isPresent();
            }
        }
    }

    @Test
    void idleSubscriptionOverTlsIsPingedAndStaysOpen() {
        try (RedisClient client = clients.connect(
                        options().commandTimeout(Duration.ofSeconds(1)).build());
                Subscription subscription = client.subscribe(SubscribeOptions.channels("quiet"))) {
            int accepted = proxy.acceptedConnections();
            long bytesBefore = proxy.forwardedBytes(Direction.TO_SERVER);

            assertThat(subscription.poll(Duration.ofMillis(2_500))).isEmpty();

            assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isGreaterThan(bytesBefore);
            assertThat(proxy.acceptedConnections()).isEqualTo(accepted);
            assertThat(subscription.gaps()).isZero();
        }
    }

    /**
     * The client reads several TLS records at the same time, each over a separate connection. The proxy interrupts each
     * record after a different number of bytes.
     */
    @Test
    void tlsRecordInterruptedByAReadTimeoutIsReadCompletely() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                long bytes = 5 + 20L * i;
                running.add(executor.submit(() -> readRecordInterruptedAfter(bytes)));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private void readRecordInterruptedAfter(long bytes) {
        byte[] payload = new byte[60];
        new Random(bytes).nextBytes(payload);
        String channel = "slow " + bytes;
        try (FaultProxy network =
                        FaultProxy.inFrontOf("127.0.0.1", server.tlsPort().orElseThrow());
                RedisClient publisher = clients.connect(WatchedClients.uri(server));
                RedisClient client = clients.connect(options(network.port())
                        .commandTimeout(Duration.ofSeconds(1))
                        .build());
                Subscription subscription = client.subscribe(SubscribeOptions.channels(channel))) {
            network.faults(
                    Direction.TO_CLIENT, Faults.NONE.withBytesPerSecond(1_000).withWriteBytes(1));
            long receivedBefore = network.forwardedBytes(Direction.TO_CLIENT);
            long sentBefore = network.forwardedBytes(Direction.TO_SERVER);

            publisher.call(Command.of("PUBLISH", channel, payload));
            // The proxy stops forwarding in the middle of the TLS record, until the subscription sends a PING.
            network.awaitForwarded(Direction.TO_CLIENT, receivedBefore + bytes, TIMEOUT);
            network.stall(Direction.TO_CLIENT);
            network.awaitForwarded(Direction.TO_SERVER, sentBefore + 1, TIMEOUT);
            assertThat(subscription.waiting()).isZero();
            network.resume(Direction.TO_CLIENT);

            assertThat(subscription.poll(TIMEOUT).orElseThrow().payload()).isEqualTo(payload);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void renewedCertificateFileIsUsedByTheNextConnection() throws IOException {
        Path authority = Files.copy(certificates.authority(), folder.resolve("renewed.pem"));
        TlsOptions tls = TlsOptions.DEFAULT.trusting(authority);
        try (RedisClient client = clients.connect(options().tls(tls).build())) {
            Files.writeString(authority, "not a certificate");
            proxy.disconnectAll(ConnectionEnd.RESET);
            Eventually.await(
                    "the invalid file is logged",
                    () -> log.warnings().stream().anyMatch(line -> line.contains("cannot use the TLS files")));

            Files.copy(certificates.authority(), authority, StandardCopyOption.REPLACE_EXISTING);
            Eventually.await("the client is connected again", client::isOpen);

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }
}
