// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.loads.EventStreams;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenTest {

    private static final String TOKEN = "correct-horse-battery";

    private static TestServer server;

    @BeforeAll
    static void startServer(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        server =
                TestServer.start("--millrace.server.token-file=" + file, "--millrace.server.allowed-hosts=Box.example");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private Call call() {
        return server.call();
    }

    @Test
    void requestNeedsTheTokenExceptForHealthAndExplanations() {
        RawAnswer without = call().get("/caches");

        assertThat(without.status()).isEqualTo(401);
        assertThat(without.header("www-authenticate")).contains("Bearer realm=\"millrace\"");
        assertThat(call().with("Authorization", "Bearer " + TOKEN)
                        .get("/caches")
                        .status())
                .isEqualTo(200);
        assertThat(call().with("Authorization", "bearer  " + TOKEN)
                        .get("/caches")
                        .status())
                .isEqualTo(200);
        assertThat(call().with("Authorization", "Basic " + TOKEN).get("/caches").status())
                .isEqualTo(401);
        assertThat(call().get("/caches?token=" + TOKEN).status()).isEqualTo(401);
        assertThat(call().get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(call().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(call().get("/problems/unauthorized").status()).isEqualTo(200);
        assertThat(call().get("/actuator/prometheus").status()).isEqualTo(401);
        assertThat(call().get("/openapi.yaml").status()).isEqualTo(401);
        assertThat(call().get("/nothing").status()).isEqualTo(401);
        for (String disguised : List.of("..;/prometheus", "../prometheus", "%2e%2E/prometheus", "./../prometheus")) {
            assertThat(call().get("/actuator/health/" + disguised).status())
                    .as(disguised)
                    .isEqualTo(400);
        }
    }

    @Test
    void tokenIsTradedForACookieOfTwelveHours() {
        RawAnswer session = call().with("Authorization", "Bearer " + TOKEN).post("/session", "");

        String cookie = session.header("set-cookie").orElse("");
        assertThat(session.status()).isEqualTo(204);
        assertThat(cookie)
                .startsWith("millrace-session=")
                .contains("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200")
                .doesNotContain(TOKEN);
        String value = cookie.substring(0, cookie.indexOf(';'));
        assertThat(call().with("Cookie", value).get("/caches").status()).isEqualTo(200);
        assertThat(call().with("Cookie", value + "x").get("/caches").status()).isEqualTo(401);
        assertThat(call().with("Cookie", value)
                        .with("Origin", "http://evil.example")
                        .delete("/caches/value/entries/k")
                        .status())
                .isEqualTo(403);
        assertThat(call().with("Cookie", value).delete("/session").status()).isEqualTo(204);
        assertThat(call().with("Cookie", value).get("/caches").status()).isEqualTo(401);
    }

    /** Otherwise a stolen cookie would never expire. */
    @ParameterizedTest
    @ValueSource(strings = {"/session", "/sessio%6E"})
    void sessionBeginsOnlyWithTheToken(String path) {
        RawAnswer renewed = call().with("Cookie", openSession()).post(path, "");

        assertThat(renewed.status()).isEqualTo(401);
        assertThat(renewed.body()).contains("A session begins only with the token.");
        assertThat(renewed.header("set-cookie")).isEmpty();
    }

    /** The name and the value of the cookie of a new session. */
    private String openSession() {
        String cookie = call().with("Authorization", "Bearer " + TOKEN)
                .post("/session", "")
                .header("set-cookie")
                .orElseThrow();
        return cookie.substring(0, cookie.indexOf(';'));
    }

    @Test
    void cookieIsSecureBehindAProxyWithTls() {
        Call box = call().with("Authorization", "Bearer " + TOKEN).with("Host", "box.example");

        assertThat(box.with("Origin", "https://box.example")
                        .post("/session", "")
                        .header("set-cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie).contains("; Secure"));
        assertThat(box.with("Origin", "http://box.example").post("/session", "").header("set-cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie).doesNotContain("Secure"));
    }

    static List<DescribedRoute> routes() {
        return ApiDescription.routes();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void routeNeedsTheTokenUnlessItsDescriptionSaysOtherwise(DescribedRoute route) {
        RawAnswer answer = call().send(route.method(), route.path(), "");

        if (route.needsToken()) {
            assertThat(answer.status()).isEqualTo(401);
        } else {
            assertThat(answer.status()).isEqualTo(200);
        }
    }

    @Test
    void streamEndsWithTheSessionOfItsRequest() throws Exception {
        String cookie = openSession();

        try (EventReader stream = EventReader.openWithCookie(server.port(), "/events", cookie)) {
            assertThat(stream.next()).isNotNull();
            assertThat(call().with("Cookie", cookie).delete("/session").status())
                    .isEqualTo(204);

            int events = 0;
            while (stream.next() != null) {
                events++;
                assertThat(events).as("events after the end of the session").isLessThan(20);
            }
        }
        Await.until(
                "the stream has ended", () -> server.bean(EventStreams.class).count() == 0);
    }

    /** Each address of 127.0.0.0/8 is loopback on Linux. The other tests need the usual address. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void elevenWrongTokensOfOneAddressAreTooMany() {
        Call guessing = call().from("127.0.2.1");
        for (int guess = 0; guess < 10; guess++) {
            assertThat(guessing.with("Authorization", "Bearer guess-" + guess)
                            .get("/caches")
                            .status())
                    .isEqualTo(401);
        }

        RawAnswer refused = guessing.with("Authorization", "Bearer " + TOKEN).get("/caches");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(Integer.parseInt(refused.header("retry-after").orElseThrow()))
                .isBetween(1, 60);
        assertThat(call().with("Authorization", "Bearer " + TOKEN)
                        .get("/caches")
                        .status())
                .isEqualTo(200);
    }

    /** The dashboard asks for the token itself. */
    @Test
    void dashboardAndTheStateOfTheSessionNeedNoToken() {
        assertThat(call().get("/").status()).isEqualTo(200);
        assertThat(call().get("/dashboard/main.js").status()).isEqualTo(200);
        assertThat(call().get("/session").body()).isEqualTo("{\"needed\":true,\"open\":false}");
        assertThat(call().post("/session", "").status()).isEqualTo(401);
        assertThat(call().delete("/session").status()).isEqualTo(401);
        assertThat(call().with("Cookie", openSession()).get("/session").body())
                .isEqualTo("{\"needed\":true,\"open\":true}");
    }

    @Test
    void allowedHostIsOursAlsoForOrigins() {
        Call box = call().with("Authorization", "Bearer " + TOKEN).with("Host", "box.example");

        assertThat(box.get("/caches").status()).isEqualTo(200);
        assertThat(box.with("Origin", "https://box.example")
                        .delete("/caches/value/entries/k")
                        .status())
                .isEqualTo(204);
        assertThat(box.with("Origin", "http://localhost")
                        .delete("/caches/value/entries/k")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void startNeedsATokenForOtherAddressesAndRefusesAShortOne(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("short"), "fifteen-chars-x");

        assertThatThrownBy(() -> TestServer.start("--server.address=0.0.0.0"))
                .rootCause()
                .hasMessageContaining("without a token");
        assertThatThrownBy(() -> TestServer.start("--millrace.server.token-file=" + token))
                .rootCause()
                .hasMessageContaining("needs at least 16")
                .hasMessageNotContaining("fifteen");
        assertThatThrownBy(() -> TestServer.start("--management.server.port=0"))
                .rootCause()
                .hasMessageContaining("management.server.port cannot be used");
        assertThatThrownBy(() -> TestServer.start("--millrace.server.token=" + TOKEN))
                .rootCause()
                .hasMessageContaining("millrace.server.token");
    }
}
