// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Masks the texts of a report. */
final class ReportMask {

    private ReportMask() {}

    /** Returns a copy whose texts are masked, and without the places of checkpoints and the names of files. */
    static JsonNode texts(JsonNode node) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (node.isObject()) {
            ObjectNode masked = nodes.objectNode();
            node.properties().forEach(member -> {
                String name = member.getKey();
                if (!name.equals("place") && !name.equals("file")) {
                    masked.set(name, texts(member.getValue()));
                }
            });
            return masked;
        }
        if (node.isArray()) {
            ArrayNode masked = nodes.arrayNode();
            node.forEach(element -> masked.add(texts(element)));
            return masked;
        }
        return node.isString() ? nodes.stringNode(TextMask.of(node.asString())) : node;
    }
}
