// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.http.MediaType;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Compares answers and events with {@code openapi.yaml}: status, media type, headers and body. */
final class ApiDescription {

    private static final JsonNode DESCRIPTION = read();
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Map<JsonNode, Schema> COMPILED = new ConcurrentHashMap<>();

    /** Headers whose description is required for each answer that has them. */
    private static final Set<String> NOTABLE =
            Set.of("allow", "cache-status", "location", "retry-after", "set-cookie", "www-authenticate");

    /** Headers that a client needs to react to the error. */
    private static final Map<Integer, String> NEEDED =
            Map.of(401, "WWW-Authenticate", 405, "Allow", 429, "Retry-After", 503, "Retry-After");

    private ApiDescription() {}

    private static JsonNode read() {
        try (InputStream in = Objects.requireNonNull(ApiDescription.class.getResourceAsStream("/openapi.yaml"))) {
            Object tree = new Yaml(new SafeConstructor(new LoaderOptions())).load(in);
            return JsonMapper.shared().valueToTree(tree);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** All routes, in the order of the description. */
    static List<DescribedRoute> routes() {
        List<DescribedRoute> routes = new ArrayList<>();
        DESCRIPTION
                .get("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> routes.add(new DescribedRoute(
                                operation.getKey().toUpperCase(Locale.ROOT), path.getKey(), operation.getValue()))));
        return routes;
    }

    /** Whether a successful answer of the route has a body. */
    static boolean hasBody(DescribedRoute route) {
        return route.operation().get("responses").properties().stream()
                .filter(response -> response.getKey().startsWith("2"))
                .anyMatch(response -> resolved(response.getValue()).has("content"));
    }

    static JsonNode problemStatuses() {
        return DESCRIPTION.at("/components/schemas/Problem/properties/status/enum");
    }

    static void check(String method, String path, RawAnswer answer) {
        if (method.equals("OPTIONS")) {
            return;
        }
        String what = method + " " + path + " " + answer.status() + " " + answer.contentType();
        JsonNode operation = operation(method.equals("HEAD") ? "GET" : method, path)
                .orElseGet(() -> DESCRIPTION.at("/paths/~1caches/get")); // unknown routes have the common errors
        JsonNode responses = operation.get("responses");
        JsonNode response = responses.get(Integer.toString(answer.status()));
        if (response == null && answer.status() >= 400) {
            response = responses.get("default");
        }
        if (response == null) {
            throw new AssertionError(what + ": the status is not described");
        }
        checkHeaders(what, resolved(response), answer);
        checkContent(what, resolved(response), answer, method.equals("HEAD"));
    }

    /** Compares the data of an event with the schema of the event in the description of its stream. */
    static void checkEvent(String path, String event, JsonNode data) {
        JsonNode schema = operation("GET", path)
                .map(operation -> operation.at("/responses/200/content/text~1event-stream/x-events"))
                .map(events -> events.get(event))
                .orElseThrow(() -> new AssertionError(path + ": the event is not described: " + event));
        validate(path + " " + event, schema, data);
    }

    private static Optional<JsonNode> operation(String method, String path) {
        String plain = path.replaceAll("\\?.*", "");
        return DESCRIPTION.get("paths").properties().stream()
                .filter(entry -> pattern(entry.getKey()).matcher(plain).matches())
                .sorted(Comparator.comparing(entry -> entry.getKey().contains("{")))
                .map(entry -> entry.getValue().get(method.toLowerCase(Locale.ROOT)))
                .filter(Objects::nonNull)
                .findFirst();
    }

    private static Pattern pattern(String template) {
        return Pattern.compile(template.replace(".", "\\.").replaceAll("\\{[^}]+\\}", "[^/]+"));
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? DESCRIPTION.at(node.get("$ref").asString().substring(1)) : node;
    }

    private static void checkHeaders(String what, JsonNode response, RawAnswer answer) {
        JsonNode headers = response.path("headers");
        headers.properties().forEach(header -> {
            Optional<String> value = answer.header(header.getKey());
            if (value.isEmpty() && header.getValue().path("required").asBoolean(false)) {
                throw new AssertionError(what + ": no header " + header.getKey());
            }
            value.ifPresent(text ->
                    validate(what + " " + header.getKey(), header.getValue().get("schema"), StringNode.valueOf(text)));
        });
        Set<String> described = headers.properties().stream()
                .map(header -> header.getKey().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        answer.headers().keySet().stream()
                .filter(name -> NOTABLE.contains(name) && !described.contains(name))
                .forEach(name -> {
                    throw new AssertionError(what + ": the header is not described: " + name);
                });
        String needed = NEEDED.get(answer.status());
        if (needed != null
                && answer.contentType().startsWith("application/problem+json")
                && answer.header(needed).isEmpty()) {
            throw new AssertionError(what + ": no header " + needed);
        }
    }

    private static void checkContent(String what, JsonNode response, RawAnswer answer, boolean withoutBody) {
        if (!response.has("content")) {
            if (!answer.body().isEmpty()) {
                throw new AssertionError(what + ": the body is not described: " + answer.body());
            }
            return;
        }
        MediaType type = MediaType.parseMediaType(answer.contentType().isEmpty() ? "none/none" : answer.contentType());
        String name = type.getType() + "/" + type.getSubtype();
        JsonNode content = response.get("content").get(name);
        if (content == null) {
            throw new AssertionError(what + ": the media type is not described");
        }
        if (!withoutBody) {
            checkBody(what, name, content.get("schema"), answer.body());
        }
    }

    private static void checkBody(String what, String type, JsonNode schema, String body) {
        if (type.endsWith("ndjson")) {
            body.lines()
                    .forEach(line -> validate(what, schema, JsonMapper.shared().readTree(line)));
        } else if (type.endsWith("json")) {
            validate(what, schema, JsonMapper.shared().readTree(body));
        } else {
            validate(what, schema, StringNode.valueOf(body));
        }
    }

    private static void validate(String what, JsonNode schema, JsonNode value) {
        List<Error> errors =
                COMPILED.computeIfAbsent(schema, ApiDescription::compiled).validate(value);
        if (!errors.isEmpty()) {
            throw new AssertionError(what + ": " + errors + " in " + value);
        }
    }

    /** A schema that also contains the components, so that its references have a target. */
    private static Schema compiled(JsonNode schema) {
        ObjectNode document = ((ObjectNode) schema).deepCopy();
        document.set("components", DESCRIPTION.get("components"));
        return SCHEMAS.getSchema(document);
    }
}
