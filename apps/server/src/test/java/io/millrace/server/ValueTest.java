// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.LoadingCache;
import io.millrace.server.api.ValueCache;
import io.millrace.server.api.ValueKeys;
import io.millrace.server.api.ValueRoute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;

@ExtendWith(SharedServer.class)
class ValueTest {

    private static final int REQUESTS = 1_000;

    private final TestServer server;

    ValueTest(TestServer server) {
        this.server = server;
    }

    @Test
    void firstRequestIsAMissAndTheSecondAHit() {
        RawAnswer first = server.call().get("/value/tea");
        RawAnswer second = server.call().get("/value/tea");

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.body()).startsWith("tea-value-");
        assertThat(first.contentType()).isEqualTo("text/plain;charset=UTF-8");
        assertThat(first.header("cache-status")).contains("Millrace; fwd=miss");
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.header("cache-status").orElse("")).matches("Millrace; hit; ttl=[0-9]+");
    }

    @Test
    void jsonIsWrittenForThoseWhoPreferJson() {
        String accept = "text/plain;q=0.5, application/json";

        RawAnswer answer = server.call().with("Accept", accept).get("/value/caf%C3%A9");

        assertThat(answer.contentType()).isEqualTo("application/json");
        assertThat(answer.body()).startsWith("{\"key\":\"café\",\"value\":\"café-value-");
    }

    @Test
    void otherFormsAreNotAcceptable() {
        for (String accept : List.of("image/png", "text/plain;q=0", "nonsense")) {
            RawAnswer answer = server.call().with("Accept", accept).get("/value/form");

            assertThat(answer.status()).as(accept).isEqualTo(406);
            assertThat(answer.contentType()).isEqualTo("application/problem+json");
            assertThat(answer.header("cache-status")).as(accept).isEmpty();
        }
    }

    @Test
    void valueIsOnlyRead() {
        for (String method : List.of("POST", "PUT", "DELETE", "FOO")) {
            RawAnswer answer = server.call().send(method, "/value/tea", "");

            assertThat(answer.status()).as(method).isEqualTo(405);
            assertThat(answer.header("allow")).as(method).contains("GET");
        }
    }

    @Test
    void headOfAValueHasTheLengthOfTheValue() {
        RawAnswer value = server.call().get("/value/length");

        RawAnswer head = server.call().head("/value/length");

        assertThat(head.header("content-length"))
                .contains(Integer.toString(value.body().length()));
        assertThat(head.body()).isEmpty();
    }

    /** All other mappings compare a path with many patterns. */
    @Test
    void theRouteOfValuesIsAskedFirst() {
        List<HandlerMapping> mappings = server.bean(DispatcherServlet.class).getHandlerMappings();

        assertThat(mappings).first().isInstanceOf(ValueRoute.class);
        assertThat(server.bean(ValueRoute.class).getHandlerMethods()).hasSize(1);
    }

    @Test
    void demonstrationTakesItsTimeAndHasOneOfAHundredValues() {
        Duration computation = Duration.ofMillis(100);
        ValueKeys keys = new ValueKeys(
                Duration.ofSeconds(10), computation, Duration.ofSeconds(15), Duration.ZERO, Duration.ZERO, 0);
        try (LoadingCache<String> values = ValueCache.open(server.client(), keys, null)) {
            long begin = System.nanoTime();

            String value = values.get("demonstration");

            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(computation);
            assertThat(value).matches("demonstration-value-[0-9]{1,2}");
        }
    }

    @Test
    void aThousandRequestsForAColdKeyShareOneComputation() throws Exception {
        int before = TestBeans.COMPUTATIONS.get();
        long waited = waits();
        List<Future<RawAnswer>> requests = new ArrayList<>();

        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < REQUESTS; i++) {
                requests.add(threads.submit(() -> server.call().get("/value/held-cold")));
            }
            Await.until("all requests wait", () -> waits() - waited == REQUESTS - 1);
            TestBeans.HELD.release();
        }

        List<RawAnswer> answers = requests.stream().map(Future::resultNow).toList();
        assertThat(answers).allMatch(answer -> answer.status() == 200);
        assertThat(answers.stream().map(RawAnswer::body).distinct()).hasSize(1);
        assertThat(TestBeans.COMPUTATIONS.get() - before).isEqualTo(1);
    }

    /** Number of requests that have waited for the computation of another request. */
    private long waits() {
        return server.call().json("/caches/value").at("/counts/waits").asLong();
    }

    @Test
    void failedComputationIsA502WithoutTheTextOfTheFailure() {
        RawAnswer answer = server.call().get("/value/fail-1");

        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("\"type\":\"/problems/failed\"").doesNotContain("secret", "Exception");
    }

    @Test
    void keyOf512BytesIsServedAndALongerOneRefused() {
        assertThat(server.call().get("/value/" + "k".repeat(512)).status()).isEqualTo(200);
        assertThat(server.call().get("/value/" + "k".repeat(513)).status()).isEqualTo(413);
        assertThat(server.call().get("/value/" + "%C3%A9".repeat(257)).status()).isEqualTo(413);
    }

    @Test
    void unknownAndRepeatedParametersAreRefused() {
        assertThat(server.call().get("/value/tea?x=1").status()).isEqualTo(400);
        assertThat(server.call().get("/experiments/e?from=1&from=2").status()).isEqualTo(400);
    }
}
