// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** TLS against a real server that asks for client certificates, each failure a typed error within two seconds. */
@ExtendWith(NoThreadLeft.class)
class TlsTest {

    @TempDir
    private static Path folder;

    private static TestCertificates ours;
    private static Path valid;
    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() throws IOException {
        ours = new TestCertificates(Files.createDirectory(folder.resolve("ours")));
        valid = ours.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        server = start(valid, true);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void aVerifiedConnectionWithAClientCertificateWorks() {
        try (RedisClient client = RedisClient.connect(options(server, trusting(ours.authority())))) {

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
                byte[] value = new byte[100_000];
                for (int i = 0; i < 200; i++) {
                    writer.begin(Strings.SET).arg("k" + i).arg(value);
                    writer.end(i);
                }
                writer.finish();
                assertThat(writer.counts().ok()).isEqualTo(200);
            }
        }
    }

    @Test
    void anUnknownAuthorityIsNamed() throws IOException {
        TestCertificates strangers = new TestCertificates(Files.createDirectory(folder.resolve("strangers")));

        ConnectException failure = fails(server, trusting(strangers.authority()));

        assertThat(failure.reason()).isEqualTo(Reason.TLS);
        assertThat(failure).hasMessageContaining("rediss://127.0.0.1").hasMessageContaining("certificat");
    }

    @Test
    void aServerThatMissesOurCertificateIsATypedError() {
        TlsOptions anonymous = TlsOptions.DEFAULT.trusting(ours.authority());

        ConnectException failure = fails(server, anonymous);

        // TLS 1.3 lets the client finish before the server has looked at its certificate.
        assertThat(failure.reason()).isIn(Reason.TLS, Reason.HANDSHAKE);
    }

    @Test
    void aCertificateForAnotherHostOrAnExpiredOneIsRefusedUnlessInsecure() {
        TlsOptions insecure = TlsOptions.DEFAULT.insecure();
        for (Path wrong : new Path[] {
            ours.certificate("elsewhere", "dns:elsewhere.example", "-1d", 2),
            ours.certificate("expired", "ip:127.0.0.1", "-10d", 5)
        }) {
            try (EmbeddedRedis other = start(wrong, false)) {

                ConnectException failure = fails(other, trusting(ours.authority()));

                assertThat(failure.reason()).isEqualTo(Reason.TLS);
                try (RedisClient client = RedisClient.connect(options(other, insecure))) {
                    assertThat(client.call(Server.ping())).isEqualTo("PONG");
                }
            }
        }
    }

    @Test
    void closingDoesNotWaitForAWriterThatIsStuck() {
        BulkOptions wide = new BulkOptions(1_024, 256 << 20, Duration.ofSeconds(60));
        try (EmbeddedRedis stalled = start(valid, true);
                RedisClient client = RedisClient.connect(options(stalled, trusting(ours.authority())))) {
            BulkWriter writer = client.bulkWriter(wide, (tag, command, outcome) -> {});
            stalled.pause();
            for (int i = 0; i < 64; i++) {
                writer.begin(Strings.SET).arg("k").arg(new byte[1 << 20]).end(i);
            }
            writer.flush();
            long before = System.nanoTime();

            writer.close();
            client.close();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
            assertThat(writer.counts().lost()).isEqualTo(64);
            stalled.resume();
        }
    }

    @Test
    void tlsToAPlainPortAndPlainToATlsPortSayWhatIsWrong() {
        RedisUri plainPort = RedisUri.parse("rediss://127.0.0.1:" + server.port());
        RedisUri tlsPort = RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow());

        ConnectException tlsToPlain = timed(() -> RedisClient.connect(plainPort));
        ConnectException plainToTls = timed(() -> RedisClient.connect(tlsPort));

        assertThat(tlsToPlain).hasMessageContaining("TLS");
        assertThat(plainToTls).hasMessageContaining("rediss://");
    }

    private static ConnectException fails(EmbeddedRedis where, TlsOptions tls) {
        return timed(() -> RedisClient.connect(options(where, tls)));
    }

    private static ConnectException timed(Runnable connect) {
        long before = System.nanoTime();
        ConnectException failure = catchThrowableOfType(ConnectException.class, connect::run);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofMillis(2_500));
        return failure;
    }

    private static ClientOptions options(EmbeddedRedis where, TlsOptions tls) {
        return ClientOptions.builder(
                        RedisUri.parse("rediss://127.0.0.1:" + where.tlsPort().orElseThrow()))
                .tls(tls)
                .build();
    }

    private static TlsOptions trusting(Path authority) {
        return TlsOptions.DEFAULT.trusting(authority).withCertificate(valid, ours.key());
    }

    private static EmbeddedRedis start(Path certificate, boolean clientsNeedCertificates) {
        return EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, ours.key(), ours.authority(), clientsNeedCertificates)));
    }
}
