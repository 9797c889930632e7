// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests the ranges of the socket options, and that all kinds of connections use them. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SocketOptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void optionOutOfRangeIsRejectedAndTheMessageContainsTheRange() {
        SocketOptions options = SocketOptions.DEFAULT;

        assertThatThrownBy(() -> options.withKeepAlive(Duration.ZERO, SECOND, 1))
                .hasMessage("keepAliveIdle=zero is out of range: 1 s to 9 h.");
        assertThatThrownBy(() -> options.withKeepAlive(SECOND, Duration.ofHours(10), 1))
                .hasMessage("keepAliveInterval=10 h is out of range: 1 s to 9 h.");
        assertThatThrownBy(() -> options.withKeepAlive(SECOND, SECOND, 0))
                .hasMessage("keepAliveCount=0 is out of range: 1 to 127.");
        assertThatThrownBy(() -> options.withBuffers(-1, 0)).hasMessageContaining("sendBufferBytes=");
        assertThatThrownBy(() -> options.withBuffers(0, -1)).hasMessageContaining("receiveBufferBytes=");
    }

    @Test
    void defaultsMatchTheirDocumentation() {
        assertThat(ClientOptions.of(RedisUri.of("localhost", 6379)).socket())
                .isEqualTo(SocketOptions.DEFAULT)
                .isEqualTo(new SocketOptions(Duration.ofSeconds(60), Duration.ofSeconds(10), 3, 0, 0));
    }

    @Test
    void allKindsOfConnectionsUseTheKeepAliveTime(@TempDir Path folder) {
        TestCertificates certificates = new TestCertificates(folder);
        Path valid = certificates.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        EmbeddedOptions options = EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(valid, certificates.key(), certificates.authority(), false));
        TlsOptions tls = TlsOptions.DEFAULT.trusting(certificates.authority());
        try (EmbeddedRedis server = EmbeddedRedis.start(options)) {
            int tlsPort = server.tlsPort().orElseThrow();
            assertKeepAlive(ClientOptions.builder(WatchedClients.uri(server)), server.port());
            assertKeepAlive(
                    ClientOptions.builder(RedisUri.of("127.0.0.1", tlsPort).withTls())
                            .tls(tls),
                    tlsPort);
        }
    }

    private static void assertKeepAlive(ClientOptions.Builder options, int port) {
        Duration idle = Duration.ofSeconds(1_000);
        try (RedisClient client = RedisClient.connect(options.connections(1)
                        .socket(SocketOptions.DEFAULT.withKeepAlive(idle, SECOND, 3))
                        .build());
                DedicatedConnection dedicated = client.borrow();
                BulkWriter bulk = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {});
                Subscription subscription = client.subscribe(SubscribeOptions.channels("c"));
                Tracking tracking = client.track(TrackingOptions.prefixes("p"))) {
            assertThat(List.of(dedicated, bulk, subscription, tracking)).hasSize(4);
            assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")), "only Linux lists the timers of sockets");

            // Another timer may replace the timer of the keep-alive while a packet is not acknowledged.
            Eventually.await(
                    "all five connections have a timer for this time",
                    () -> timers(port).equals(List.of(true, true, true, true, true)));
        }
    }

    /** For each connection to {@code port}: whether its timer is a keep-alive in 900 s to 1,000 s. */
    private static List<Boolean> timers(int port) {
        String remote = String.format(Locale.ROOT, ":%04X", port);
        return Stream.of("tcp", "tcp6")
                .flatMap(SocketOptionsTest::rows)
                .map(row -> row.strip().split("\\s+"))
                .filter(columns -> columns[2].endsWith(remote) && columns[3].equals("01"))
                .map(columns -> columns[5].split(":"))
                .map(timer -> {
                    long hundredths = Long.parseLong(timer[1], 16);
                    return timer[0].equals("02") && hundredths > 90_000 && hundredths <= 100_000;
                })
                .toList();
    }

    private static Stream<String> rows(String table) {
        try {
            return Files.readAllLines(Path.of("/proc/self/net", table)).stream().skip(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
