// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** TLS against real servers: verified unless told otherwise, and each failure a typed error that comes soon. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TlsTest {

    @TempDir
    private static Path folder;

    private static TestCertificates ours;
    private static TestCertificates strangers;
    private static Path valid;
    private static Path strange;
    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @BeforeAll
    static void startServer() throws IOException {
        ours = new TestCertificates(Files.createDirectory(folder.resolve("ours")));
        strangers = new TestCertificates(Files.createDirectory(folder.resolve("strangers")));
        valid = ours.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        strange = strangers.certificate("strange", "ip:127.0.0.1", "-1d", 2);
        server = start(valid, true);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static EmbeddedRedis start(Path certificate, boolean clientsNeedCertificates) {
        return EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, ours.key(), ours.authority(), clientsNeedCertificates)));
    }

    private static RedisUri uri(EmbeddedRedis where) {
        return RedisUri.of("127.0.0.1", where.tlsPort().orElseThrow()).withTls();
    }

    private static TlsOptions trusting(Path authority) {
        return TlsOptions.DEFAULT.trusting(authority).withCertificate(valid, ours.key());
    }

    private RedisClient connect(EmbeddedRedis where, TlsOptions tls) {
        return clients.connect(uri(where), options -> options.tls(tls));
    }

    private ConnectException fails(EmbeddedRedis where, TlsOptions tls) {
        return timed(() -> connect(where, tls).close());
    }

    private static ConnectException timed(Runnable connect) {
        long before = System.nanoTime();
        ConnectException failure = catchThrowableOfType(ConnectException.class, connect::run);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
        return failure;
    }

    @Test
    void aVerifiedConnectionWithAClientCertificateWorks() {
        try (RedisClient client = connect(server, trusting(ours.authority()));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            byte[] value = new byte[100_000];
            for (int i = 0; i < 200; i++) {
                writer.begin(Strings.SET).arg("k" + i).arg(value);
                writer.end(i);
            }

            writer.finish();

            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(writer.counts().ok()).isEqualTo(200);
        }
    }

    @Test
    void anUnknownAuthorityIsNamed() {
        for (TlsOptions tls :
                new TlsOptions[] {trusting(strangers.authority()), TlsOptions.DEFAULT.withCertificate(valid, ours.key())
                }) {
            ConnectException failure = fails(server, tls);

            assertThat(failure.reason()).isEqualTo(Reason.TLS);
            assertThat(failure).hasMessageContaining("rediss://127.0.0.1").hasMessageContaining("certificat");
        }
    }

    @Test
    void aServerThatMissesOurCertificateOrDoesNotKnowItIsATypedError() {
        for (TlsOptions tls : new TlsOptions[] {
            TlsOptions.DEFAULT.trusting(ours.authority()),
            TlsOptions.DEFAULT.trusting(ours.authority()).withCertificate(strange, strangers.key())
        }) {
            for (int i = 0; i < 20; i++) {
                ConnectException failure = fails(server, tls);

                // TLS 1.3 lets the client finish before the server has looked at its certificate.

                assertThat(failure.reason()).isEqualTo(Reason.TLS);
                assertThat(failure).hasMessageContaining("client certificate");
            }
        }
    }

    @Test
    void aKeyThatIsNoKeyOrDoesNotFitIsNamed() throws IOException {
        Path noKey = Files.writeString(folder.resolve("no-key.pem"), "-----BEGIN RSA PRIVATE KEY-----\n");
        TlsOptions ca = TlsOptions.DEFAULT.trusting(ours.authority());

        ConnectException wrongKind = fails(server, ca.withCertificate(valid, noKey));
        ConnectException notThere = fails(server, ca.withCertificate(folder.resolve("nowhere.pem"), ours.key()));

        assertThat(wrongKind.reason()).isEqualTo(Reason.TLS);
        assertThat(wrongKind).hasMessageContaining("no-key.pem holds no PKCS#8 private key");
        assertThat(notThere).hasMessageContaining("nowhere.pem");
    }

    @Test
    void aCertificateForAnotherHostOrAnExpiredOneIsRefusedUnlessInsecure() {
        for (Path wrong : new Path[] {
            ours.certificate("elsewhere", "dns:elsewhere.example", "-1d", 2),
            ours.certificate("expired", "ip:127.0.0.1", "-10d", 5)
        }) {
            try (EmbeddedRedis other = start(wrong, false)) {

                ConnectException failure = fails(other, trusting(ours.authority()));

                assertThat(failure.reason()).isEqualTo(Reason.TLS);
                try (RedisClient client = connect(other, TlsOptions.DEFAULT.insecure())) {
                    assertThat(client.call(Server.ping())).isEqualTo("PONG");
                }
            }
        }
    }

    @Test
    void theNameToVerifyCanBeAnotherThanTheHosts() {
        Path certificate = ours.certificate("named", "dns:redis.example", "-1d", 2);
        TlsOptions ca = TlsOptions.DEFAULT.trusting(ours.authority());
        try (EmbeddedRedis named = start(certificate, false)) {
            assertThat(fails(named, ca).reason()).isEqualTo(Reason.TLS);
            assertThat(fails(named, ca.withServerName("other.example")).reason())
                    .isEqualTo(Reason.TLS);

            try (RedisClient client = connect(named, ca.withServerName("redis.example"))) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
            }
        }
    }

    @Test
    void closingDoesNotWaitForAWriterThatIsStuck() {
        BulkOptions wide = new BulkOptions(1_024, 256 << 20, Duration.ofSeconds(60));
        try (EmbeddedRedis stalled = start(valid, true);
                RedisClient client = connect(stalled, trusting(ours.authority()))) {
            BulkWriter writer = client.bulkWriter(wide, (tag, command, outcome) -> {});
            stalled.pause();
            for (int i = 0; i < 64; i++) {
                writer.begin(Strings.SET).arg("k").arg(new byte[1 << 20]).end(i);
            }
            writer.flush();
            long before = System.nanoTime();

            writer.close();
            client.close();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
            assertThat(writer.counts().lost()).isEqualTo(64);
            stalled.resume();
        }
    }

    @Test
    void tlsToAPlainPortAndPlainToATlsPortSayWhatIsWrong() {
        RedisUri plainPort = RedisUri.of("127.0.0.1", server.port()).withTls();
        RedisUri tlsPort = RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow());

        // The server waits for the rest of what it takes for a line: only the time limit ends that.
        ConnectException tlsToPlain =
                timed(() -> clients.connect(ClientOptions.of(plainPort)).close());
        ConnectException plainToTls = timed(() -> clients.connect(tlsPort).close());

        assertThat(tlsToPlain).hasMessageContaining("TLS");
        assertThat(plainToTls).hasMessageContaining("rediss://");
    }
}
