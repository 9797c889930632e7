// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that begin a request and do not end the request. Other clients do not wait for them. */
class SlowRequestTest {

    private static final String START = "POST /loads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

    private static TestServer server;

    @BeforeAll
    static void startServer() {
        server = TestServer.start("--server.tomcat.connection-timeout=300ms");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void bodyThatStopsIsRefused() throws IOException {
        try (RawConnection connection = new RawConnection(server.port())) {
            RawAnswer answer = connection
                    .send(START + "Content-Length: 30\r\n\r\n{\"job\":")
                    .read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.contentType()).isEqualTo("application/problem+json");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void chunkThatStopsIsRefused() throws IOException {
        try (RawConnection connection = new RawConnection(server.port())) {
            RawAnswer answer = connection
                    .send(START + "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"job\":")
                    .read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void connectionWhoseHeadersStopIsClosed() throws IOException {
        try (RawConnection silent = new RawConnection(server.port());
                RawConnection half = new RawConnection(server.port())) {
            half.send("GET /caches HTTP/1.1\r\nHost: loc");

            assertThat(server.call().get("/caches").status()).isEqualTo(200);
            assertThat(silent.isClosedByServer()).isTrue();
            assertThat(half.rest()).doesNotContain("200");
        }
    }
}
