// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with {@code server.ssl.bundle}. */
class TlsTest {

    private static final String BUNDLE = "--spring.ssl.bundle.pem.web.keystore.";

    @Test
    void serverWithTlsHasACookieThatNeedsTls(@TempDir Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates(Files.createDirectory(folder.resolve("certificates")));
        Path certificate = certificates.certificate("web", "ip:127.0.0.1", "-1d", 2);
        Path token = Files.writeString(folder.resolve("token"), "correct-horse-battery");

        try (TestServer server = TestServer.start(
                BUNDLE + "certificate=file:" + certificate,
                BUNDLE + "private-key=file:" + certificates.key(),
                "--server.ssl.bundle=web",
                "--millrace.server.token-file=" + token)) {
            assertThat(server.url()).isEqualTo("https://127.0.0.1:" + server.port());
            RawAnswer session = session(server.port(), certificates.authority());

            assertThat(session.status()).isEqualTo(204);
            assertThat(session.header("set-cookie").orElse("")).contains("; Secure; ", "HttpOnly", "SameSite=Strict");
        }
    }

    private static RawAnswer session(int port, Path authority) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusting(authority).getTrustManagers(), null);
        Socket socket = context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        try (RawConnection connection = new RawConnection(socket)) {
            return connection
                    .send("POST /session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer correct-horse-battery\r\n"
                            + "Origin: https://localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    .read();
        }
    }

    private static TrustManagerFactory trusting(Path authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory;
    }
}
