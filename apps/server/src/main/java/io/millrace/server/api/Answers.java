// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers with text or JSON, as {@link ChosenForm} says. */
@Component
class Answers {

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
        MediaType form = ChosenForm.of(request);
        return new Body(form, isJson(form) ? mapper.writeValueAsBytes(json) : text.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers with a text, or with JSON if the client prefers JSON. */
    ResponseEntity<byte[]> value(
            HttpServletRequest request, ResponseEntity.BodyBuilder answer, String text, Object json) {
        Body body = body(request, text, json);
        return answer.contentType(body.form).body(body.bytes);
    }

    /** Answers with JSON, or with one line per member if the client prefers text. */
    ResponseEntity<byte[]> object(HttpServletRequest request, ResponseEntity.BodyBuilder answer, Object json) {
        MediaType form = ChosenForm.of(request);
        if (isJson(form)) {
            return answer.contentType(form).body(mapper.writeValueAsBytes(json));
        }
        StringBuilder lines = new StringBuilder();
        append(lines, "", mapper.valueToTree(json));
        return answer.contentType(form).body(lines.toString().getBytes(StandardCharsets.UTF_8));
    }

    ResponseEntity<byte[]> object(HttpServletRequest request, Object json) {
        return object(request, ResponseEntity.ok(), json);
    }

    private static boolean isJson(MediaType form) {
        return form.isCompatibleWith(MediaType.APPLICATION_JSON);
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
}
