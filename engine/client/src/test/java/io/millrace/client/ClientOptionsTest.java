// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests which values of options are legal, and the text form of options. */
class ClientOptionsTest {

    private static final RedisUri URI = RedisUri.of("localhost", 6379).withPassword("marked-secret");

    private record Wrong(UnaryOperator<ClientOptions.Builder> change, String words) {}

    @Test
    void optionOutOfRangeIsRejectedAndTheMessageContainsTheRange() {
        Duration nothing = Duration.ZERO;
        Duration tick = Duration.ofMillis(1);
        for (Wrong wrong : List.of(
                new Wrong(b -> b.connectTimeout(nothing), "connectTimeout=zero is out of range: 1 ms to 10 min."),
                new Wrong(
                        b -> b.connectTimeout(Duration.ofDays(1)),
                        "connectTimeout=24 h is out of range: 1 ms to 10 min."),
                new Wrong(
                        b -> b.commandTimeout(Duration.ofMillis(-5)),
                        "commandTimeout=-5 ms is out of range: 1 ms to 24 h."),
                new Wrong(
                        b -> b.commandTimeout(Duration.ofDays(2)),
                        "commandTimeout=2 days is out of range: 1 ms to 24 h."),
                new Wrong(b -> b.connections(0), "connections=0 is out of range: 1 to 64."),
                new Wrong(b -> b.connections(65), "connections=65 is out of range: 1 to 64."),
                new Wrong(b -> b.inFlight(0), "inFlight=0 is out of range: 1 to 1,048,576."),
                new Wrong(b -> b.inFlight((1 << 20) + 1), "inFlight=1,048,577 is out of range: 1 to 1,048,576."),
                new Wrong(
                        b -> b.inFlightBytes(65_535),
                        "inFlightBytes=65,535 bytes is out of range: 64 KB to just under"),
                new Wrong(
                        b -> b.inFlightBytes(1L << 40),
                        "inFlightBytes=1 TB is out of range: 64 KB to just under 1 TB."),
                new Wrong(b -> b.poolSize(0), "poolSize=0 is out of range: 1 to 4,096."),
                new Wrong(b -> b.poolSize(4_097), "poolSize=4,097 is out of range: 1 to 4,096."),
                new Wrong(
                        b -> b.pingAfterSilence(Duration.ofDays(2)),
                        "pingAfterSilence=2 days is out of range: zero, or 1 ms to 24 h."),
                new Wrong(
                        b -> b.poolMaxIdle(Duration.ofDays(2)),
                        "poolMaxIdle=2 days is out of range: zero, or 1 ms to 24 h."),
                new Wrong(b -> b.callbacks(0), "callbacks=0 is out of range: 1 to 1,048,576."),
                new Wrong(b -> b.callbacks((1 << 20) + 1), "callbacks=1,048,577 is out of range: 1 to 1,048,576."),
                new Wrong(b -> b.reconnectDelay(nothing, tick), "reconnectDelay=zero is out of range: 1 ms to 1 min."),
                new Wrong(
                        b -> b.reconnectDelay(tick, nothing),
                        "maxReconnectDelay=zero is out of range: 1 ms to 10 min."),
                new Wrong(
                        b -> b.reconnectDelay(Duration.ofSeconds(2), Duration.ofSeconds(1)),
                        "maxReconnectDelay=1 s is out of range: 2 s to 10 min."),
                new Wrong(b -> b.name(""), "name must be printable ASCII"),
                new Wrong(b -> b.name("two words"), "name must be printable ASCII"),
                new Wrong(b -> b.name("größe"), "name must be printable ASCII"))) {
            assertThatThrownBy(
                            () -> wrong.change.apply(ClientOptions.builder(URI)).build())
                    .as(wrong.words)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong.words);
        }
    }

    @Test
    void smallestAndLargestValueOfEveryOptionAreLegal() {
        ClientOptions least = ClientOptions.builder(URI)
                .connectTimeout(Duration.ofMillis(1))
                .commandTimeout(Duration.ofMillis(1))
                .connections(1)
                .inFlight(1)
                .inFlightBytes(65_536)
                .pingAfterSilence(Duration.ZERO)
                .poolSize(1)
                .poolMaxIdle(Duration.ZERO)
                .callbacks(1)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1))
                .name("!")
                .build();
        ClientOptions most = ClientOptions.builder(URI)
                .connectTimeout(Duration.ofMinutes(10))
                .commandTimeout(Duration.ofHours(24))
                .connections(64)
                .inFlight(1 << 20)
                .inFlightBytes((1L << 40) - 1)
                .pingAfterSilence(Duration.ofHours(24))
                .poolSize(4_096)
                .poolMaxIdle(Duration.ofHours(24))
                .callbacks(1 << 20)
                .reconnectDelay(Duration.ofMinutes(1), Duration.ofMinutes(10))
                .name("a-name_of:parts.1")
                .build();

        assertThat(least.inFlight()).isEqualTo(1);
        assertThat(most.inFlight()).isEqualTo(1 << 20);
    }

    @Test
    void defaultsMatchTheirDocumentation() {
        ClientOptions options = ClientOptions.of(URI);

        assertThat(options.connectTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.commandTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.connections()).isEqualTo(2);
        assertThat(options.inFlight()).isEqualTo(4_096);
        assertThat(options.inFlightBytes()).isEqualTo(8 << 20);
        assertThat(options.overflow()).isEqualTo(Overflow.BLOCK);
        assertThat(options.pingAfterSilence()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.pool().size()).isEqualTo(16);
        assertThat(options.pool().maxIdle()).isEqualTo(Duration.ofMinutes(5));
        assertThat(options.reconnectDelay()).isEqualTo(Duration.ofMillis(10));
        assertThat(options.maxReconnectDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.protocol()).isEqualTo(Protocol.RESP3);
        assertThat(options.pushListener()).isSameAs(PushListener.NONE);
        assertThat(options.callbacks()).isEqualTo(10_000);
        assertThat(options.commandListener()).isSameAs(CommandListener.NONE);
        assertThat(options.addressResolver()).isSameAs(AddressResolver.SYSTEM);
        assertThat(options.name()).isEqualTo("millrace");
        assertThat(options.tls()).isEqualTo(TlsOptions.DEFAULT);
    }

    @Test
    void limitOfRepliesOutOfRangeIsRejectedAndTheMessageContainsTheRange() {
        ReplyLimits limits = ReplyLimits.DEFAULT;

        assertThatThrownBy(() -> limits.withBulkBytes(1_023))
                .hasMessage("bulkBytes=1,023 bytes is out of range: 1 KB to 1 GB.");
        assertThatThrownBy(() -> limits.withElements(1_023))
                .hasMessage("elements=1,023 is out of range: 1,024 to 1,073,741,824.");
        assertThatThrownBy(() -> limits.withLineBytes(0))
                .hasMessage("lineBytes=0 bytes is out of range: 1 KB to 1 GB.");
        assertThatThrownBy(() -> limits.withDepth(1_025)).hasMessage("depth=1,025 is out of range: 8 to 1,024.");
        assertThat(limits).isEqualTo(new ReplyLimits(512 << 20, 1 << 27, 1 << 20, 128));
        assertThat(ClientOptions.of(URI).replyLimits()).isEqualTo(limits);
    }

    @Test
    void textOfOptionsDoesNotContainThePassword() {
        ClientOptions options = ClientOptions.of(URI.withLogin("user", "marked-secret"));

        assertThat(options.toString()).contains("redis://localhost:6379").doesNotContain("marked");
    }

    @Test
    void tlsOptionsAreImmutableAndKeepTheirValues() {
        TlsOptions all = TlsOptions.DEFAULT
                .trusting(Path.of("ca.pem"))
                .withCertificate(Path.of("own.pem"), Path.of("own.key"))
                .withServerName("redis.example");

        TlsOptions insecure = all.insecure();

        assertThat(TlsOptions.DEFAULT.toString())
                .isEqualTo("TlsOptions[context=none, caCertificate=none, trustStore=none, certificate=none,"
                        + " privateKey=none, keyStore=none, serverName=none, verifies=true]");
        assertThat(all.caCertificate()).hasValue(Path.of("ca.pem"));
        assertThat(all.certificate()).hasValue(Path.of("own.pem"));
        assertThat(all.privateKey()).hasValue(Path.of("own.key"));
        assertThat(all.serverName()).hasValue("redis.example");
        assertThat(all.verifies()).isTrue();
        assertThat(insecure.verifies()).isFalse();
        assertThat(insecure.serverName()).hasValue("redis.example");
        assertThat(insecure).isNotEqualTo(all).isEqualTo(all.insecure()).hasSameHashCodeAs(all.insecure());
        assertThatThrownBy(() -> all.withServerName(" ")).isInstanceOf(IllegalArgumentException.class);
    }
}
