// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each described route refuses wrong requests. A refused request changes nothing. */
@ExtendWith(SharedServer.class)
class EveryRouteTest {

    private static final String MARK = "[{\"id\":1,\"time\":\"2026-11-22\"}]";
    private static final String EXPERIMENT =
            "{\"key\":\"unwanted\",\"populationNumber\":8,\"maxRandom\":1,\"lessThan\":1}";

    private final TestServer server;
    private final Call call;

    EveryRouteTest(TestServer server) {
        this.server = server;
        this.call = server.call();
    }

    private RawAnswer send(Call caller, DescribedRoute route, String path) {
        return route.method().equals("POST") ? caller.post(path, "{}") : caller.send(route.method(), path, "");
    }

    static List<DescribedRoute> all() {
        return ApiDescription.routes();
    }

    /** The routes of the actuator ignore parameters. */
    static Stream<DescribedRoute> ofTheServer() {
        return all().stream().filter(route -> !route.isOfTheActuator());
    }

    static Stream<DescribedRoute> withBody() {
        return all().stream().filter(ApiDescription::hasBody);
    }

    @ParameterizedTest
    @MethodSource("ofTheServer")
    void unknownParameterIsRefused(DescribedRoute route) {
        RawAnswer answer = send(call, route, route.path() + "?unknown=1");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("/problems/bad-request", "unknown parameter");
    }

    @ParameterizedTest
    @MethodSource("all")
    void otherMethodIsRefused(DescribedRoute route) {
        RawAnswer answer = call.send("PATCH", route.path(), "");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("allow").orElse("")).contains(route.method());
    }

    @ParameterizedTest
    @MethodSource("withBody")
    void formThatTheRouteDoesNotHaveIsRefused(DescribedRoute route) {
        RawAnswer answer = send(call.with("Accept", "image/png"), route, route.path());

        assertThat(answer.status()).isEqualTo(406);
        assertThat(answer.body()).contains("/problems/not-acceptable");
    }

    @Test
    void requestWithAnUnknownFormChangesNothing() {
        Call picture = call.with("Accept", "image/png");
        String loads = call.get("/loads?limit=1").body();
        int computations = TestBeans.COMPUTATIONS.get();

        List<Integer> statuses = List.of(
                picture.post("/loads", "{\"job\":\"customers\"}").status(),
                picture.post("/experiments/create", EXPERIMENT).status(),
                picture.post("/activities/unwanted/visit/marks", MARK).status(),
                picture.get("/value/unwanted").status());

        assertThat(statuses).containsOnly(406);
        assertThat(call.get("/loads?limit=1").body()).isEqualTo(loads);
        assertThat(call.get("/experiments/unwanted").status()).isEqualTo(404);
        assertThat(call.get("/activities/unwanted/visit/counts?from=2026-11-22&to=2026-11-22")
                        .status())
                .isEqualTo(404);
        assertThat(TestBeans.COMPUTATIONS).hasValue(computations);
    }

    /** A part of a file would need a status that the description does not have. */
    @Test
    void rangesAreIgnored() {
        for (String path : List.of("/", "/dashboard/main.js", "/openapi.yaml")) {
            for (String range : List.of("bytes=0-9", "bytes=999999-")) {
                RawAnswer answer = server.call().with("Range", range).get(path);

                assertThat(answer.status()).as(path + " " + range).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(call.get(path).body());
            }
        }
    }
}
