// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.gate.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.node.StringNode;

@ExtendWith(SharedServer.class)
class ApiDescriptionTest {

    private static final Path GUIDE = Path.of("../../docs/server.md");
    private static final Pattern CALLED_PATH = Pattern.compile("http://127\\.0\\.0\\.1:8080(/[^' ?]*)");
    private static final Pattern CALLED_METHOD = Pattern.compile(" -X (\\w+) ");

    private final TestServer server;

    ApiDescriptionTest(TestServer server) {
        this.server = server;
    }

    @Test
    void everyRouteIsDescribedAndEveryDescribedRouteExists() {
        Set<String> routes = new TreeSet<>();
        server.bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .keySet()
                .forEach(route -> route.getMethodsCondition()
                        .getMethods()
                        .forEach(method ->
                                route.getPatternValues().forEach(pattern -> routes.add(method + " " + pattern))));

        Stream<DescribedRoute> described = ApiDescription.routes().stream().filter(route -> !route.isOfTheActuator());

        assertThat(described.map(route -> unnamed(route.toString())).toList())
                .containsExactlyInAnyOrderElementsOf(
                        routes.stream().map(ApiDescriptionTest::unnamed).toList());
    }

    /** A route without the names of its parameters. */
    private static String unnamed(String route) {
        return route.replaceAll("\\{[^}]+\\}", "{}");
    }

    @Test
    void guideHasACallOfEveryRouteAndOfNoOther() throws IOException {
        String guide = Files.readString(GUIDE).replace("\\\n", " ");
        Set<String> called = new TreeSet<>();
        for (String line :
                guide.lines().filter(each -> each.startsWith("curl ")).toList()) {
            Matcher path = CALLED_PATH.matcher(line);
            Matcher method = CALLED_METHOD.matcher(line);
            assertThat(path.find()).as(line).isTrue();
            called.add(route(method.find() ? method.group(1) : line.contains(" -d ") ? "POST" : "GET", path.group(1)));
        }

        assertThat(called)
                .containsExactlyInAnyOrderElementsOf(ApiDescription.routes().stream()
                        .map(DescribedRoute::toString)
                        .toList());
    }

    /** The described route of a call, or the call itself if no route is described. */
    private static String route(String method, String path) {
        return ApiDescription.routes().stream()
                .filter(route -> route.matches(method, path))
                .min(Comparator.comparing(route -> route.template().contains("{")))
                .map(DescribedRoute::toString)
                .orElse(method + " " + path);
    }

    @Test
    void everyProblemIsDescribedAndExplained() {
        for (Problem problem : Problem.values()) {
            RawAnswer page = server.call().get(problem.type());

            assertThat(page.status()).isEqualTo(200);
            assertThat(page.contentType()).isEqualTo("text/html;charset=UTF-8");
            assertThat(page.body()).contains(problem.title(), Integer.toString(problem.status()));
        }
        assertThat(ApiDescription.problemStatuses().toString())
                .isEqualTo(Arrays.stream(Problem.values())
                        .map(Problem::status)
                        .distinct()
                        .toList()
                        .toString()
                        .replace(" ", ""));
    }

    @Test
    void operationsAndTheDescriptionAreServed() {
        assertThat(server.call().get("/actuator/health").body()).contains("\"status\":\"UP\"");
        assertThat(server.call().get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(server.call().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(server.call().get("/actuator/prometheus").body()).contains("millrace_");
        assertThat(server.call().get("/openapi.yaml").body()).startsWith("openapi: 3.1.0");
    }

    /** Tomcat answers with this status only while the server stops. */
    @Test
    void unavailabilityThatTomcatReportsIsTheEndOfTheServer() {
        assertThat(Problem.ofStatus(503)).isEqualTo(Problem.STOPPING);
    }

    @Test
    void everyReadableResourceHasTheHeadersOfGetForHead() {
        for (String path :
                List.of("/", "/caches", "/caches/value", "/jobs", "/loads", "/openapi.yaml", "/value/head")) {
            RawAnswer answer = server.call().head(path);

            assertThat(answer.status()).as(path).isEqualTo(200);
            assertThat(answer.contentType())
                    .as(path)
                    .isEqualTo(server.call().get(path).contentType());
        }
    }

    @Test
    void answersThatDifferFromTheDescriptionAreReported() {
        Map<String, List<String>> json = Map.of("content-type", List.of("application/json"));

        assertThatThrownBy(() -> ApiDescription.check("GET", "/caches", new RawAnswer(200, json, "{\"caches\":{}}")))
                .hasMessageContaining("array");
        assertThatThrownBy(() -> ApiDescription.check("GET", "/caches", new RawAnswer(203, json, "{}")))
                .hasMessageContaining("the status is not described");
        assertThatThrownBy(() -> ApiDescription.check(
                        "GET", "/caches", new RawAnswer(200, Map.of("content-type", List.of("text/html")), "")))
                .hasMessageContaining("the media type is not described");
        assertThatThrownBy(() -> ApiDescription.check("GET", "/value/k", new RawAnswer(200, json, "{}")))
                .hasMessageContaining("no header Cache-Status");
        assertThatThrownBy(() -> ApiDescription.check(
                        "GET",
                        "/caches",
                        new RawAnswer(
                                200, Map.of("content-type", List.of("text/plain"), "set-cookie", List.of("a=b")), "")))
                .hasMessageContaining("the header is not described: set-cookie");
        assertThatThrownBy(() -> ApiDescription.check(
                        "GET",
                        "/caches",
                        new RawAnswer(405, Map.of("content-type", List.of("application/problem+json")), "{}")))
                .hasMessageContaining("no header Allow");
        assertThatThrownBy(() -> ApiDescription.checkEvent("/events", "none", StringNode.valueOf("")))
                .hasMessageContaining("the event is not described: none");
        assertThatThrownBy(() -> ApiDescription.checkEvent("/events", "sample", StringNode.valueOf("")))
                .hasMessageContaining("object expected");
        assertThatThrownBy(() -> ApiDescription.check(
                        "GET", "/bad", new RawAnswer(404, Map.of("content-type", List.of("text/plain")), "no")))
                .hasMessageContaining("the media type is not described");
    }
}
