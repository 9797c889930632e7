// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that begin a request and do not end the request. Other clients do not wait for them. */
class SlowRequestTest {

    private static final String TOKEN = "Authorization: Bearer correct-horse-battery\r\n";
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String HOST = "Host: localhost\r\n";
    private static final String START = "POST /loads HTTP/1.1\r\n" + HOST + TOKEN + JSON;

    /** A body of this length takes 50 minutes, a byte every 50 ms. */
    private static final String LENGTH = "Content-Length: 60000\r\n\r\n";

    private static TestServer server;

    @BeforeAll
    static void startServer(@TempDir Path folder) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "correct-horse-battery");
        server = TestServer.start("--server.tomcat.connection-timeout=300ms", "--millrace.server.token-file=" + token);
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

    /** Also after the answer, and although each read of Tomcat gets a byte in time. */
    @Test
    void bodyThatArrivesByteByByteHoldsNoConnection() throws Exception {
        List<String> requests = List.of(
                START + LENGTH,
                START + "Transfer-Encoding: chunked\r\n\r\nFFFF\r\n",
                "POST /none HTTP/1.1\r\n" + HOST + TOKEN + JSON + LENGTH,
                "POST /caches/value HTTP/1.1\r\n" + HOST + TOKEN + JSON + LENGTH,
                "POST /loads HTTP/1.1\r\n" + HOST + TOKEN + "Content-Type: text/plain\r\n" + LENGTH,
                "DELETE /caches/value/entries/k HTTP/1.1\r\n" + HOST + TOKEN + LENGTH,
                "POST /loads HTTP/1.1\r\n" + HOST + JSON + LENGTH,
                "POST /loads HTTP/1.1\r\n" + HOST + JSON + "Transfer-Encoding: chunked\r\n\r\nFFFF\r\n",
                "POST /loads HTTP/1.1\r\n" + HOST + "Origin: http://evil.example\r\n" + JSON + LENGTH,
                "POST /loads HTTP/1.1\r\nHost: evil.example\r\n" + JSON + LENGTH,
                "POST /loads HTTP/1.1\r\n" + HOST + TOKEN + JSON + "Content-Length: 70000\r\n\r\n");
        List<RawConnection> connections = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        List<Integer> statuses = new ArrayList<>();
        try {
            for (String request : requests) {
                RawConnection connection = new RawConnection(server.port()).send(request);
                connections.add(connection);
                readers.add(Thread.ofVirtual().start(connection::readToTheEnd));
            }

            sendBytesUntilAllHaveEnded(connections, readers);

            for (RawConnection connection : connections) {
                statuses.add(connection.status());
            }
        } finally {
            for (RawConnection connection : connections) {
                connection.close();
            }
        }
        assertThat(statuses).containsExactly(400, 400, 404, 405, 415, 204, 401, 401, 403, 421, 413);
    }

    private static void sendBytesUntilAllHaveEnded(List<RawConnection> connections, List<Thread> readers)
            throws IOException {
        long begin = System.nanoTime();
        while (readers.stream().anyMatch(Thread::isAlive)) {
            for (int i = 0; i < connections.size(); i++) {
                if (readers.get(i).isAlive()) {
                    connections.get(i).send("1");
                }
            }
            LockSupport.parkNanos(50_000_000);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
        }
    }

    @Test
    void connectionWhoseHeadersStopIsClosed() throws IOException {
        try (RawConnection silent = new RawConnection(server.port());
                RawConnection half = new RawConnection(server.port())) {
            half.send("GET /caches HTTP/1.1\r\nHost: loc");

            assertThat(server.call().get("/caches").status()).isEqualTo(401);
            assertThat(silent.isClosedByServer()).isTrue();
            assertThat(half.rest()).doesNotContain("200");
        }
    }
}
