// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that an attacker would send, byte by byte. */
@ExtendWith(SharedServer.class)
class HostileRequestTest {

    private static final String HOST = "Host: localhost\r\n";
    private static final String CROSS_SITE = "Sec-Fetch-Site: cross-site\r\n";

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

    private final TestServer server;

    HostileRequestTest(TestServer server) {
        this.server = server;
    }

    /**
     * A request and the statuses that are right.
     *
     * @param bytes the whole request
     */
    record Case(String name, String bytes, Set<Integer> statuses) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Case of(int status, String name, String bytes) {
        return new Case(name, bytes, Set.of(status));
    }

    private static Case host(int status, String host) {
        return of(status, "Host: " + host, "GET /caches HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }

    private static Case path(int status, String path) {
        return of(status, "path " + path, "GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n");
    }

    private static Case get(int status, String path, String name, String headers) {
        return of(status, name, "GET " + path + " HTTP/1.1\r\n" + HOST + headers + "\r\n");
    }

    private static Case post(int status, String name, String headers) {
        return of(
                status,
                name,
                "POST /loads HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\nContent-Length: 2\r\n" + headers
                        + "\r\n{}");
    }

    static Stream<Case> rebinding() {
        List<Case> cases = new ArrayList<>();
        for (String good : List.of(
                "localhost",
                "LOCALHOST",
                "localhost:80",
                "localhost:65535",
                "127.0.0.1",
                "127.255.0.3:8080",
                "[::1]",
                "[::1]:8080")) {
            cases.add(host(200, good));
        }
        for (String foreign : List.of(
                "evil.example",
                "evil.example:8080",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "127.0.0.1.nip.io",
                "evil-localhost",
                "localhost.",
                "0.0.0.0",
                "0.0.0.0:8080",
                "169.254.169.254",
                "10.0.0.1",
                "2130706433",
                "0x7f000001",
                "0177.0.0.1",
                "127.1",
                "[::]",
                "[::ffff:127.0.0.1]",
                "[fe80::1]")) {
            cases.add(host(421, foreign));
        }
        for (String broken :
                List.of("localhost:port", "localhost:80:80", "localhost@evil.example", "local host", "[::1", "")) {
            cases.add(new Case(
                    "Host: " + broken, "GET /caches HTTP/1.1\r\nHost: " + broken + "\r\n\r\n", Set.of(400, 421)));
        }
        cases.add(of(400, "no Host", "GET /caches HTTP/1.1\r\n\r\n"));
        cases.add(of(421, "no Host in HTTP/1.0", "GET /caches HTTP/1.0\r\n\r\n"));
        cases.add(of(400, "two Hosts", "GET /caches HTTP/1.1\r\n" + HOST + "Host: evil.example\r\n\r\n"));
        cases.add(of(
                400, "absolute path of another host", "GET http://evil.example/caches HTTP/1.1\r\n" + HOST + "\r\n"));
        cases.add(of(
                421,
                "forwarded Host",
                "GET /caches HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n"));
        return cases.stream();
    }

    static Stream<Case> forgery() {
        return Stream.of(
                post(400, "no origin", ""),
                post(400, "own origin", "Origin: http://localhost\r\n"),
                post(400, "own origin with the usual port", "Origin: http://localhost:80\r\n"),
                post(400, "origin of a proxy with TLS", "Origin: https://localhost\r\n"),
                post(400, "same origin", "Sec-Fetch-Site: same-origin\r\n"),
                post(403, "foreign origin", "Origin: http://evil.example\r\n"),
                post(403, "origin of another port", "Origin: http://localhost:3000\r\n"),
                post(403, "origin that begins with ours", "Origin: http://localhost.evil.example\r\n"),
                post(403, "origin without a name", "Origin: null\r\n"),
                post(403, "empty origin", "Origin:\r\n"),
                post(403, "origin of a file", "Origin: file://\r\n"),
                post(403, "origin with our name as the user", "Origin: http://localhost@evil.example\r\n"),
                post(403, "origin of an extension", "Origin: chrome-extension://abcdef\r\n"),
                post(403, "cross-site", "Sec-Fetch-Site: cross-site\r\n"),
                post(403, "same-site", "Sec-Fetch-Site: same-site\r\n"),
                post(403, "no site", "Sec-Fetch-Site: none\r\n"),
                post(403, "own origin, but cross-site", "Origin: http://localhost\r\nSec-Fetch-Site: cross-site\r\n"),
                get(200, "/caches", "typed address", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n"),
                get(200, "/caches", "own page", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"),
                get(200, "/", "link to the dashboard", CROSS_SITE + "Sec-Fetch-Mode: navigate\r\n"),
                get(200, "/problems/late", "link to an explanation", CROSS_SITE + "Sec-Fetch-Mode: navigate\r\n"),
                get(403, "/", "dashboard as a part of a foreign page", CROSS_SITE + "Sec-Fetch-Mode: no-cors\r\n"),
                get(403, "/value/image", "image of a foreign page", CROSS_SITE + "Sec-Fetch-Mode: no-cors\r\n"),
                get(403, "/value/frame", "link to a value", CROSS_SITE + "Sec-Fetch-Mode: navigate\r\n"),
                get(403, "/events", "stream of a foreign page", CROSS_SITE + "Sec-Fetch-Mode: cors\r\n"),
                get(403, "/caches", "page of the same site", "Sec-Fetch-Site: same-site\r\n"),
                get(403, "/caches", "reading with a foreign origin", "Origin: http://evil.example\r\n"),
                of(403, "HEAD", "HEAD /events HTTP/1.1\r\n" + HOST + CROSS_SITE + "\r\n"),
                of(403, "delete", "DELETE /caches/value HTTP/1.1\r\n" + HOST + "Origin: http://evil.example\r\n\r\n"),
                of(
                        403,
                        "session",
                        "POST /session HTTP/1.1\r\n" + HOST
                                + "Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n"),
                body(415, "text/plain", "{\"job\":\"customers\"}"),
                body(415, "application/x-www-form-urlencoded", "job=customers"),
                body(415, "multipart/form-data; boundary=x", "--x--"),
                of(415, "no type", "POST /loads HTTP/1.1\r\n" + HOST + "Content-Length: 2\r\n\r\n{}"),
                of(
                        405,
                        "method in a parameter",
                        "POST /caches/value?_method=DELETE HTTP/1.1\r\n" + HOST + "Content-Length: 0\r\n\r\n"),
                of(
                        405,
                        "method in a header",
                        "POST /caches/value HTTP/1.1\r\n" + HOST
                                + "X-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n\r\n"));
    }

    private static Case body(int status, String type, String body) {
        return of(
                status,
                "type " + type,
                "POST /loads HTTP/1.1\r\n" + HOST + "Content-Type: " + type + "\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body);
    }

    static Stream<Case> traversal() {
        List<Case> cases = new ArrayList<>();
        for (String unknown : List.of(
                "/../../etc/passwd",
                "/value/../../../etc/passwd",
                "/problems/..;/..;/etc/passwd",
                "/WEB-INF/web.xml",
                "/META-INF/MANIFEST.MF",
                "/application.properties",
                "/openapi.yaml/..;/application.properties",
                "/actuator",
                "/actuator/env",
                "/actuator/heapdump",
                "/actuator/loggers",
                "/actuator/beans",
                "/actuator/health/../env",
                "/actuator/health/..;/env",
                "/actuator/millraceloads",
                "/error",
                "/value",
                "/value/",
                "/value/a/b",
                "/caches/",
                "/loads/x",
                "/loads/-1",
                "/loads/9999999999999999999",
                "/problems/none",
                "/favicon.ico/..%3B/")) {
            cases.add(new Case("path " + unknown, path(404, unknown).bytes, Set.of(400, 404)));
        }
        for (String refused : List.of(
                "/value/..%2f..%2fetc%2fpasswd",
                "/value/%2e%2e%2fcaches",
                "/value/a%5cb",
                "/value/a\\b",
                "/value/%00",
                "/value/a%00b",
                "/value/%0d%0aSet-Cookie:x",
                "/value/%",
                "/value/%zz",
                "/value/a|b",
                "/value/<script>",
                "/value/%ff%fe%ff")) {
            cases.add(path(400, refused));
        }
        cases.add(of(400, "text that is no path", "GET ../etc/passwd HTTP/1.1\r\n" + HOST + "\r\n"));
        return cases.stream();
    }

    static Stream<Case> smuggling() {
        String start = "POST /loads HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\n";
        return Stream.of(
                of(400, "two lengths", start + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
                of(400, "list of lengths", start + "Content-Length: 2, 2\r\n\r\n{}"),
                of(400, "negative length", start + "Content-Length: -2\r\n\r\n{}"),
                of(400, "length with a sign", start + "Content-Length: +2\r\n\r\n{}"),
                of(400, "hexadecimal length", start + "Content-Length: 0x2\r\n\r\n{}"),
                of(400, "length without end", start + "Content-Length: 99999999999999999999\r\n\r\n{}"),
                of(400, "broken chunk", start + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
                of(400, "chunk of a negative size", start + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n"),
                new Case(
                        "unknown encoding",
                        start + "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                        Set.of(400, 501)),
                new Case(
                        "encoding that is not last",
                        start + "Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                        Set.of(400, 501)),
                of(400, "blank before the colon", "GET /caches HTTP/1.1\r\n" + HOST + "Content-Length : 2\r\n\r\n"),
                of(400, "header without a name", "GET /caches HTTP/1.1\r\n" + HOST + ": x\r\n\r\n"),
                of(400, "header without a colon", "GET /caches HTTP/1.1\r\n" + HOST + "nonsense\r\n\r\n"),
                of(
                        200,
                        "folded header, which Tomcat unfolds",
                        "GET /caches HTTP/1.1\r\n" + HOST + "X: a\r\n b\r\n\r\n"),
                of(400, "NUL in a header", "GET /caches HTTP/1.1\r\n" + HOST + "X: a\0b\r\n\r\n"),
                of(400, "NUL in the name of a header", "GET /caches HTTP/1.1\r\n" + HOST + "X\0: a\r\n\r\n"),
                of(400, "broken first line", "GET\r\n" + HOST + "\r\n"),
                new Case("unknown version", "GET /caches HTTP/9.9\r\n" + HOST + "\r\n", Set.of(400, 505)),
                of(405, "unknown method", "FOO /caches HTTP/1.1\r\n" + HOST + "\r\n"),
                of(405, "method in lower case", "get /caches HTTP/1.1\r\n" + HOST + "\r\n"),
                of(405, "TRACE", "TRACE /caches HTTP/1.1\r\n" + HOST + "\r\n"),
                of(400, "CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + "\r\n"),
                of(
                        200,
                        "HTTP/2 is not offered",
                        "GET /caches HTTP/1.1\r\n" + HOST + "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
                of(
                        200,
                        "WebSocket is not offered",
                        "GET /caches HTTP/1.1\r\n" + HOST
                                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"));
    }

    static Stream<Case> tooLarge() {
        String start = "POST /loads HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\n";
        String big = "{\"job\":\"" + "x".repeat(70_000) + "\"}";
        return Stream.of(
                of(
                        400,
                        "header of 17 KiB",
                        "GET /caches HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(17_000) + "\r\n\r\n"),
                of(400, "path of 17 KiB", "GET /value/" + "x".repeat(17_000) + " HTTP/1.1\r\n" + HOST + "\r\n"),
                of(200, "50 headers", "GET /caches HTTP/1.1\r\n" + HOST + "X: x\r\n".repeat(49) + "\r\n"),
                of(400, "51 headers", "GET /caches HTTP/1.1\r\n" + HOST + "X: x\r\n".repeat(50) + "\r\n"),
                of(413, "announced body", start + "Content-Length: 65537\r\n\r\n"),
                of(413, "announced body of a terabyte", start + "Content-Length: 1099511627776\r\n\r\n"),
                of(
                        413,
                        "body of unknown length",
                        start + "Transfer-Encoding: chunked\r\n\r\n11178\r\n" + big + "\r\n0\r\n\r\n"),
                of(413, "key", "GET /value/" + "x".repeat(600) + " HTTP/1.1\r\n" + HOST + "\r\n"),
                of(400, "deep JSON", start + "Content-Length: 20000\r\n\r\n" + "[".repeat(20_000)),
                of(400, "long number", start + "Content-Length: 5012\r\n\r\n{\"limit\":" + "9".repeat(5_002) + "}"));
    }

    @ParameterizedTest
    @MethodSource({"rebinding", "forgery", "traversal", "smuggling", "tooLarge"})
    void hostileRequestIsRefusedWithAProblem(Case hostile) throws IOException {
        RawAnswer answer;
        try (RawConnection connection = new RawConnection(server.port())) {
            answer = connection.send(hostile.bytes).read();
        }

        assertThat(hostile.statuses).as(answer.toString()).contains(answer.status());
        assertThat(answer.header("content-security-policy").orElse("")).isEqualTo(POLICY);
        assertThat(answer.header("x-content-type-options")).contains("nosniff");
        assertThat(answer.header("referrer-policy")).contains("no-referrer");
        assertThat(answer.header("cache-control")).contains("no-store");
        assertThat(answer.header("server")).isEmpty();
        assertThat(answer.body()).doesNotContain("Exception", "io.millrace", "org.apache", "java.", "Tomcat", "secret");
        if (answer.status() >= 400) {
            assertThat(answer.contentType()).isEqualTo("application/problem+json");
        }
        if (answer.status() >= 400 && !hostile.bytes.startsWith("HEAD")) {
            assertThat(answer.body()).contains("\"type\":\"/problems/", "\"status\":", "\"detail\":");
        }
    }

    @Test
    void thereAreAHundredCases() {
        long cases = Stream.of(rebinding(), forgery(), traversal(), smuggling(), tooLarge())
                .mapToLong(Stream::count)
                .sum();

        assertThat(cases).isGreaterThanOrEqualTo(100);
    }

    /** The length would hide the second request from a proxy that believes in the length. */
    @Test
    void requestAfterAnAmbiguousOneIsNotExecuted() throws IOException {
        String entry = "/caches/value/entries/smuggled";
        assertThat(server.call().get("/value/smuggled").status()).isEqualTo(200);
        Await.until("the value is written", () -> server.call().get(entry).status() == 200);
        String hidden = "DELETE " + entry + " HTTP/1.1\r\n" + HOST + "\r\n";
        String body = "0\r\n\r\n" + hidden;
        try (RawConnection connection = new RawConnection(server.port())) {
            RawAnswer answer = connection
                    .send("POST /loads HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\nContent-Length: "
                            + body.length() + "\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
                    .read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
        assertThat(server.call().get(entry).status()).isEqualTo(200);
    }

    @Test
    void refusalNamesTheMethodsOfTheResource() {
        assertThat(server.call()
                        .post("/caches/value", "{}")
                        .header("allow")
                        .orElse("")
                        .split(", ", -1))
                .containsExactlyInAnyOrder("GET", "DELETE");
    }

    /** The connection would be reset if the server closed it before it has read the body. The client could lose the answer. */
    @Test
    void bodyThatNoRouteReadsIsReadBeforeTheConnectionIsClosed() throws IOException {
        try (RawConnection connection = new RawConnection(server.port())) {
            connection.send("POST /none HTTP/1.1\r\n" + HOST + "Content-Length: 60000\r\n\r\n");
            RawAnswer answer = connection.read();
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.header("connection")).contains("close");

            connection.send("x".repeat(60_000));

            assertThat(connection.rest()).isEmpty();
        }
    }

    @Test
    void answersDoNotReflectTheRequest() {
        for (String path : List.of("/value/a?zzqqy=1", "/zzqqy", "/caches/zzqqy", "/problems/zzqqy")) {
            assertThat(server.call().get(path).body()).doesNotContain("zzqqy");
        }
    }
}
