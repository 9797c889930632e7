// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.lab.frameworks.HttpRequests;
import io.millrace.lab.frameworks.HttpRequests.Route;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes a round of requests wrong. A script takes the place of {@code wrk}, and sends no requests. */
class RequestRoundsTest {

    private final Path folder;
    private final CachingServer server;

    RequestRoundsTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        this.server = CachingServer.start();
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Rounds in which {@code wrk} reports a thousand answers of so many bytes. */
    private RequestRounds rounds(double answerBytes) throws IOException {
        Path script = Files.writeString(
                folder.resolve("wrk"),
                "#!/bin/sh\necho millrace-lab: requests=1000 bytes=" + Math.round(1_000 * answerBytes)
                        + " connect=0 read=0 write=0 status=0 timeout=0 p50=1 p99=2\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return new RequestRounds(server, Wrk.of(new HttpRequests(Route.VALUE, 1, 1), script.toString(), folder));
    }

    /** Rounds with right answers, whose cache is filled. */
    private RequestRounds filled() throws IOException {
        RequestRounds rounds = rounds(answerBytes());
        rounds.prepare();
        rounds.fill();
        return rounds;
    }

    /** Mean length of the right answers. */
    private double answerBytes() throws IOException {
        double bytes = 0;
        try (var connection = HttpConnection.open(server.port())) {
            for (int number = 0; number < HttpRequests.KEYS; number++) {
                bytes += connection.get(Wrk.path(HttpRequests.key(number))).bytes();
            }
        }
        return bytes / HttpRequests.KEYS;
    }

    @Test
    void roundWithRightAnswersHasNoComplaint() throws Exception {
        RequestRounds rounds = filled();

        long succeeded = rounds.run();

        assertThat(succeeded).isEqualTo(1_000);
        assertThat(rounds.details().complaints()).isEmpty();
    }

    @Test
    void valueThatIsComputedDuringTheRoundIsFound() throws Exception {
        RequestRounds rounds = filled();

        var unused = rounds.run();
        server.values.remove(HttpRequests.key(7));
        try (var connection = HttpConnection.open(server.port())) {
            var unusedAnswer = connection.get(Wrk.path(HttpRequests.key(7)));
        }

        assertThat(rounds.details().complaints())
                .containsExactly("values computed during the round: 1", "values have changed during the round");
    }

    @Test
    void answersOfAnotherLengthAreFound() throws Exception {
        RequestRounds rounds = rounds(answerBytes() / 2);
        rounds.fill();

        var unused = rounds.run();

        assertThat(rounds.details().complaints())
                .singleElement()
                .asString()
                .startsWith("wrong answers: expected bytes=");
    }

    @Test
    void cacheThatKeepsNothingFails() throws Exception {
        server.isKeeping = false;
        RequestRounds rounds = rounds(100);

        assertThatThrownBy(rounds::fill)
                .isInstanceOf(LabException.class)
                .hasMessage("the cache does not keep the values: readings=10");
    }

    @Test
    void redirectFails() throws Exception {
        server.status = 302;
        RequestRounds rounds = rounds(100);

        assertThatThrownBy(rounds::fill)
                .isInstanceOf(LabException.class)
                .hasMessageStartingWith("wrong answer: status=302, body=" + HttpRequests.key(0) + "-value");
    }

    /** A server with a cache in memory. */
    private static final class CachingServer implements ValueServer {

        private final HttpServer web;
        private final Map<String, String> values = new ConcurrentHashMap<>();
        private final AtomicLong computations = new AtomicLong();
        private volatile boolean isKeeping = true;
        private volatile int status = 200;

        private CachingServer(HttpServer web) {
            this.web = web;
        }

        static CachingServer start() throws IOException {
            var address = new InetSocketAddress(HttpConnection.loopback(1), 0);
            var server = new CachingServer(HttpServer.create(address, 0));
            server.web.createContext("/value/", server::answer);
            server.web.start();
            return server;
        }

        private void answer(HttpExchange exchange) throws IOException {
            String key = exchange.getRequestURI().getPath().substring("/value/".length());
            byte[] body = value(key).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }

        private String value(String key) {
            if (!isKeeping) {
                values.clear();
            }
            return values.computeIfAbsent(key, computed -> computed + "-value-" + computations.incrementAndGet());
        }

        @Override
        public int port() {
            return web.getAddress().getPort();
        }

        @Override
        public long computations() {
            return computations.get();
        }

        @Override
        public void close() {
            web.stop(0);
        }
    }
}
