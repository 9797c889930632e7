// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.FaultProxyTest.TIMEOUT;
import static io.millrace.testkit.FaultProxyTest.inFrontOf;
import static io.millrace.testkit.FaultProxyTest.roundTrip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(100)
@ExtendWith(NoConnectionLeft.class)
class FaultProxyTlsTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @Test
    void encryptedBytesAreForwardedAndFaultsApplyToThem(@TempDir Path folder) throws Exception {
        SSLContext tls = context(folder.resolve("store"));
        try (EchoServer server = new EchoServer(tls.getServerSocketFactory());
                FaultProxy proxy = inFrontOf(server);
                Socket client = tls.getSocketFactory().createSocket(proxy.host(), proxy.port())) {
            client.setSoTimeout((int) TIMEOUT.toMillis());
            proxy.faults(Faults.NONE.withWriteBytes(7));

            byte[] echoed = roundTrip(client, new byte[] {1, 2, 3});
            proxy.disconnectAll(ConnectionEnd.RESET);

            assertThat(echoed).containsExactly(1, 2, 3);
            assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isGreaterThan(100);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
        }
    }

    private static SSLContext context(Path store) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "self",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=self",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        KeyManagerFactory server = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        server.init(keys, PASSWORD);
        TrustManagerFactory client = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        client.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(server.getKeyManagers(), client.getTrustManagers(), null);
        return context;
    }
}
