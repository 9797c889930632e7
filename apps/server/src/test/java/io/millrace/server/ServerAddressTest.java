// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The address on which the server listens. */
class ServerAddressTest {

    private static final Logger LOGGER = Logger.getLogger("io.millrace.server");

    /** ::1. */
    private static final byte[] LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private static final class Warnings extends Handler {

        final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                texts.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static List<String> warningsOf(String... keys) {
        Warnings warnings = new Warnings();
        LOGGER.addHandler(warnings);
        String[] all = Arrays.copyOf(keys, keys.length + 1);
        all[keys.length] = "--logging.level.io.millrace.server=warn";
        try (TestServer server = TestServer.start(all)) {
            assertThat(server.call().get("/actuator/health/liveness").status()).isEqualTo(200);
        } finally {
            LOGGER.removeHandler(warnings);
        }
        return warnings.texts;
    }

    @Test
    void serverOnAnotherAddressWarnsWithoutTls(@TempDir Path folder) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "correct-horse-battery");

        assertThat(warningsOf("--server.address=0.0.0.0", "--millrace.server.token-file=" + token))
                .singleElement()
                .asString()
                .startsWith("the token and all data are readable on the network: set server.ssl.bundle");
        assertThat(warningsOf("--millrace.server.token-file=" + token)).isEmpty();
    }

    @Test
    void serverOnLoopbackOfIpVersion6NeedsNoToken() throws IOException {
        try (TestServer server = TestServer.start("--server.address=::1")) {
            assertThat(server.url()).isEqualTo("http://[::1]:" + server.port());
            for (String host : List.of("[::1]", "[::1]:" + server.port(), "localhost")) {
                assertThat(status(server.port(), host)).as(host).isEqualTo(200);
            }
            for (String host : List.of("::1", "[::2]", "[::1]x", "[::1]:x", "[fd00::1]")) {
                assertThat(status(server.port(), host)).as(host).isIn(400, 421);
            }
        }
    }

    private static int status(int port, String host) throws IOException {
        try (RawConnection connection = new RawConnection(new Socket(InetAddress.getByAddress(LOOPBACK), port))) {
            return connection
                    .send("GET /caches HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                    .read()
                    .status();
        }
    }
}
