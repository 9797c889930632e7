// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The lines of a {@link CheckpointFile}: JSON objects whose values are text. */
final class CheckpointLines {

    private static final JsonFactory JSON = new JsonFactory();

    private CheckpointLines() {}

    /** A line with its line end. */
    static byte[] line(Map<String, String> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            new TreeMap<>(values).forEach(json::writeStringProperty);
            json.writeEndObject();
        }
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** The values of all complete lines, of which later ones replace earlier ones, and the length of these lines. */
    record Content(Map<String, String> values, int bytes) {}

    /**
     * Reads lines. A line without a line end, or with other damage, ends the content: a process was killed while it wrote
     * this line.
     */
    static Content read(byte[] file) {
        Map<String, String> values = new HashMap<>();
        int start = 0;
        for (int at = 0; at < file.length; at++) {
            if (file[at] == '\n') {
                if (!addLine(file, start, at - start, values)) {
                    return new Content(values, start);
                }
                start = at + 1;
            }
        }
        return new Content(values, start);
    }

    private static boolean addLine(byte[] file, int start, int length, Map<String, String> values) {
        Map<String, String> line = new HashMap<>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), file, start, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                line.put(name, json.getString());
            }
            boolean complete = json.currentToken() == JsonToken.END_OBJECT;
            if (complete) {
                values.putAll(line);
            }
            return complete;
        } catch (JacksonException damaged) {
            return false;
        }
    }
}
