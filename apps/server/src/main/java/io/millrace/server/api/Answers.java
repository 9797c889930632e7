// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers with text or JSON, as the header {@code Accept} says. */
@Component
class Answers {

    private static final MediaType TEXT = new MediaType("text", "plain", StandardCharsets.UTF_8);

    private static final List<MediaType> TEXT_FIRST = List.of(TEXT, MediaType.APPLICATION_JSON);
    private static final List<MediaType> JSON_FIRST = List.of(MediaType.APPLICATION_JSON, TEXT);

    private final JsonMapper mapper;

    Answers(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** The body of an answer, in the form that the client prefers. */
    static final class Body {

        private final MediaType form;
        private final byte[] bytes;

        private Body(MediaType form, byte[] bytes) {
            this.form = form;
            this.bytes = bytes;
        }

        /** Writes the body as the whole rest of the answer. Blocks until the client takes the bytes. */
        void writeTo(HttpServletResponse response) throws IOException {
            response.setContentType(form.toString());
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }

    /** A text, or JSON if the client prefers JSON. */
    Body body(HttpServletRequest request, String text, Object json) {
        return isJson(request, TEXT_FIRST)
                ? new Body(MediaType.APPLICATION_JSON, mapper.writeValueAsBytes(json))
                : new Body(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers with a text, or with JSON if the client prefers JSON. */
    ResponseEntity<byte[]> value(
            HttpServletRequest request, ResponseEntity.BodyBuilder answer, String text, Object json) {
        Body body = body(request, text, json);
        return answer.contentType(body.form).body(body.bytes);
    }

    /** Answers with JSON, or with one line per member if the client prefers text. */
    ResponseEntity<byte[]> object(HttpServletRequest request, ResponseEntity.BodyBuilder answer, Object json) {
        if (isJson(request, JSON_FIRST)) {
            return answer.contentType(MediaType.APPLICATION_JSON).body(mapper.writeValueAsBytes(json));
        }
        StringBuilder lines = new StringBuilder();
        append(lines, "", mapper.valueToTree(json));
        return answer.contentType(TEXT).body(lines.toString().getBytes(StandardCharsets.UTF_8));
    }

    ResponseEntity<byte[]> object(HttpServletRequest request, Object json) {
        return object(request, ResponseEntity.ok(), json);
    }

    String json(Object value) {
        return mapper.writeValueAsString(value);
    }

    private static void append(StringBuilder lines, String name, JsonNode node) {
        if (node.isObject()) {
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                append(lines, name.isEmpty() ? member.getKey() : name + "." + member.getKey(), member.getValue());
            }
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                append(lines, name.isEmpty() ? Integer.toString(i) : name + "." + i, node.get(i));
            }
        } else if (!node.isNull()) {
            lines.append(name).append(": ").append(node.asString()).append('\n');
        }
    }

    private static boolean isJson(HttpServletRequest request, List<MediaType> offered) {
        return accepted(request.getHeader("Accept"), offered).isCompatibleWith(MediaType.APPLICATION_JSON);
    }

    /**
     * Returns the first of {@code offered} that the client likes most.
     *
     * @throws Refusal if the client accepts none of them
     */
    static MediaType accepted(@Nullable String accept, List<MediaType> offered) {
        if (accept == null || accept.isEmpty() || accept.equals("*/*")) {
            return offered.getFirst();
        }
        try {
            return MediaType.parseMediaTypes(accept).stream()
                    .filter(wish -> wish.getQualityValue() > 0)
                    .sorted(Comparator.comparingDouble(MediaType::getQualityValue)
                            .reversed())
                    .flatMap(wish -> offered.stream().filter(wish::includes).limit(1))
                    .findFirst()
                    .orElseThrow(() -> new Refusal(Problem.NOT_ACCEPTABLE, "The forms are " + offered + "."));
        } catch (InvalidMediaTypeException malformed) {
            throw new Refusal(Problem.NOT_ACCEPTABLE, "The header Accept is not a list of media types.");
        }
    }
}
