// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
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

/**
 * Tests TLS with real servers. The client verifies the certificate of the server by default. Each failure causes a
 * typed exception, without a long delay.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TlsTest {

    @TempDir
    private static Path folder;

    private static TestCertificates trusted;
    private static TestCertificates untrusted;
    private static Path valid;
    private static Path foreign;
    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @BeforeAll
    static void startServer() throws IOException {
        trusted = new TestCertificates(Files.createDirectory(folder.resolve("trusted")));
        untrusted = new TestCertificates(Files.createDirectory(folder.resolve("untrusted")));
        valid = trusted.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        foreign = untrusted.certificate("foreign", "ip:127.0.0.1", "-1d", 2);
        server = start(valid, true);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static EmbeddedRedis start(Path certificate, boolean clientsNeedCertificates) {
        return EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(
                        certificate, trusted.key(), trusted.authority(), clientsNeedCertificates)));
    }

    private static RedisUri uri(EmbeddedRedis target) {
        return RedisUri.of("127.0.0.1", target.tlsPort().orElseThrow()).withTls();
    }

    private static TlsOptions trusting(Path authority) {
        return TlsOptions.DEFAULT.trusting(authority).withCertificate(valid, trusted.key());
    }

    private RedisClient connect(EmbeddedRedis target, TlsOptions tls) {
        return clients.connect(uri(target), options -> options.tls(tls));
    }

    private ConnectException fails(EmbeddedRedis target, TlsOptions tls) {
        return timed(() -> connect(target, tls).close());
    }

    private static ConnectException timed(Runnable connect) {
        long before = System.nanoTime();
        ConnectException failure = catchThrowableOfType(ConnectException.class, connect::run);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
        return failure;
    }

    @Test
    void verifiedTlsConnectionWithAClientCertificateWorks() {
        try (RedisClient client = connect(server, trusting(trusted.authority()));
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
    void serverCertificateOfAnUnknownAuthorityIsReported() {
        for (TlsOptions tls : new TlsOptions[] {
            trusting(untrusted.authority()), TlsOptions.DEFAULT.withCertificate(valid, trusted.key())
        }) {
            ConnectException failure = fails(server, tls);

            assertThat(failure.reason()).isEqualTo(Reason.TLS);
            assertThat(failure).hasMessageContaining("rediss://127.0.0.1").hasMessageContaining("certificat");
        }
    }

    @Test
    void missingOrUntrustedClientCertificateCausesATypedError() {
        for (TlsOptions tls : new TlsOptions[] {
            TlsOptions.DEFAULT.trusting(trusted.authority()),
            TlsOptions.DEFAULT.trusting(trusted.authority()).withCertificate(foreign, untrusted.key())
        }) {
            for (int i = 0; i < 20; i++) {
                ConnectException failure = fails(server, tls);

                // In TLS 1.3 the client finishes the handshake before the server has checked the certificate of the
                // client.

                assertThat(failure.reason()).isEqualTo(Reason.TLS);
                assertThat(failure).hasMessageContaining("client certificate");
            }
        }
    }

    @Test
    void invalidKeyFileAndMissingCertificateFileAreReported() throws IOException {
        Path noKey = Files.writeString(folder.resolve("no-key.pem"), "-----BEGIN RSA PRIVATE KEY-----\n");
        TlsOptions ca = TlsOptions.DEFAULT.trusting(trusted.authority());

        ConnectException wrongKind = fails(server, ca.withCertificate(valid, noKey));
        ConnectException notThere = fails(server, ca.withCertificate(folder.resolve("nowhere.pem"), trusted.key()));

        assertThat(wrongKind.reason()).isEqualTo(Reason.TLS);
        assertThat(wrongKind).hasMessageContaining("no-key.pem holds no PKCS#8 private key");
        assertThat(notThere).hasMessageContaining("nowhere.pem");
    }

    @Test
    void expiredCertificateOrCertificateOfAnotherHostIsRejectedUnlessTlsIsInsecure() {
        for (Path wrong : new Path[] {
            trusted.certificate("elsewhere", "dns:elsewhere.example", "-1d", 2),
            trusted.certificate("expired", "ip:127.0.0.1", "-10d", 5)
        }) {
            try (EmbeddedRedis other = start(wrong, false)) {

                ConnectException failure = fails(other, trusting(trusted.authority()));

                assertThat(failure.reason()).isEqualTo(Reason.TLS);
                try (RedisClient client = connect(other, TlsOptions.DEFAULT.insecure())) {
                    assertThat(client.call(Server.ping())).isEqualTo("PONG");
                }
            }
        }
    }

    @Test
    void serverNameToVerifyMayDifferFromTheHost() {
        Path certificate = trusted.certificate("named", "dns:redis.example", "-1d", 2);
        TlsOptions ca = TlsOptions.DEFAULT.trusting(trusted.authority());
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
    void closeDoesNotWaitForABlockedWriteOverTls() {
        BulkOptions wide = new BulkOptions(1_024, 256 << 20, Duration.ofSeconds(60));
        try (EmbeddedRedis stalled = start(valid, true);
                RedisClient client = connect(stalled, trusting(trusted.authority()))) {
            BulkWriter writer = client.bulkWriter(wide, (tag, command, outcome) -> {});
            stalled.pause();
            for (int i = 0; i < 64; i++) {
                writer.begin(Strings.SET).arg("k").arg(new byte[1 << 20]).end(i);
            }
            writer.flush();
            long before = System.nanoTime();

            writer.close();
            client.close();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(writer.counts().lost()).isEqualTo(64);
            stalled.resume();
        }
    }

    @Test
    void exceptionNamesTheCauseIfOnlyTheClientOrOnlyTheServerUsesTls() {
        RedisUri plainPort = RedisUri.of("127.0.0.1", server.port()).withTls();
        RedisUri tlsPort = RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow());

        // The server reads the TLS bytes as the beginning of a line, and waits for the end of the line. Only the time
        // limit of the client ends the wait.
        ConnectException tlsToPlain =
                timed(() -> clients.connect(ClientOptions.of(plainPort)).close());
        ConnectException plainToTls = timed(() -> clients.connect(tlsPort).close());

        assertThat(tlsToPlain).hasMessageContaining("TLS");
        assertThat(plainToTls).hasMessageContaining("rediss://");
    }
}
