// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.ServletContext;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class RequestTimesTest {

    private final TestServer server;

    RequestTimesTest(TestServer server) {
        this.server = server;
    }

    @Test
    void requestsAreCountedByMethodRouteStatusAndOutcome() {
        long found = count("GET", "/value/{key}", "200", "SUCCESS");
        long unwanted = count("GET", "/value/{key}", "406", "CLIENT_ERROR");
        long failed = count("GET", "/value/{key}", "502", "SERVER_ERROR");

        server.call().get("/value/timed-1");
        server.call().get("/value/timed-2");
        server.call().with("Accept", "image/png").get("/value/timed-1");
        server.call().get("/value/fail-timed");

        Await.until("2 values", () -> count("GET", "/value/{key}", "200", "SUCCESS") == found + 2);
        Await.until("1 unwanted", () -> count("GET", "/value/{key}", "406", "CLIENT_ERROR") == unwanted + 1);
        Await.until("1 failed", () -> count("GET", "/value/{key}", "502", "SERVER_ERROR") == failed + 1);
    }

    @Test
    void refusalOfTheGateIsCounted() {
        long refused = count("GET", "UNKNOWN", "421", "CLIENT_ERROR");

        server.call().with("Host", "foreign.example").get("/value/timed-1");

        Await.until("1 refusal", () -> count("GET", "UNKNOWN", "421", "CLIENT_ERROR") == refused + 1);
    }

    @Test
    void pathsAndMethodsOfClientsAreNoTags() {
        server.call().get("/nowhere-7");
        server.call().get("/value/key-of-a-client");
        server.call().send("BREW", "/value/tea", "");

        Await.until("the unknown method", () -> count("UNKNOWN", "UNKNOWN", "405", "CLIENT_ERROR") > 0);
        List<String> values = timers().stream()
                .flatMap(timer -> timer.getId().getTags().stream().map(Tag::getValue))
                .toList();
        assertThat(values).doesNotContain("BREW").noneMatch(value -> value.contains("-"));
    }

    @Test
    void timeOfARequestIsMeasured() {
        long found = count("GET", "/value/{key}", "200", "SUCCESS");

        server.call().get("/value/timed-3");

        Await.until("the value", () -> count("GET", "/value/{key}", "200", "SUCCESS") > found);
        assertThat(server.call().get("/actuator/prometheus").body())
                .containsPattern(
                        "http_server_requests_seconds_sum\\{method=\"GET\",[^}]*,status=\"200\",uri=\"/value/\\{key}\"} [0-9.]*[1-9]");
    }

    /** Each further filter costs time in each request. */
    @Test
    void requestsPassTwoFilters() {
        assertThat(server.bean(ServletContext.class).getFilterRegistrations()).containsOnlyKeys("requestTimes", "gate");
    }

    private Collection<Timer> timers() {
        return server.bean(MeterRegistry.class).find("http.server.requests").timers();
    }

    /** A request is counted after its answer. */
    private long count(String method, String route, String status, String outcome) {
        return server
                .bean(MeterRegistry.class)
                .find("http.server.requests")
                .tags("method", method, "uri", route, "status", status, "outcome", outcome)
                .timers()
                .stream()
                .mapToLong(Timer::count)
                .sum();
    }
}
