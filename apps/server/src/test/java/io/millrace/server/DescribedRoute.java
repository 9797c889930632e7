// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A route of {@code openapi.yaml}. */
record DescribedRoute(String method, String template, JsonNode operation) {

    private static final Pattern PARAMETER = Pattern.compile("\\{([^}]+)}");

    /** Values of the parameters of paths. Other parameters get {@code k}. */
    private static final Map<String, String> VALUES =
            Map.of("cache", "value", "id", "1", "index", "0", "slug", "conflict", "file", "main.js");

    /** A path of the route. */
    String path() {
        return PARAMETER
                .matcher(template)
                .replaceAll(found -> Matcher.quoteReplacement(VALUES.getOrDefault(found.group(1), "k")));
    }

    boolean matches(String calledMethod, String calledPath) {
        String pattern = template.replace(".", "\\.").replaceAll("\\{[^}]+}", "[^/]+");
        return method.equals(calledMethod) && calledPath.matches(pattern);
    }

    /** Whether a request of the route needs a token, if the server has one. */
    boolean needsToken() {
        return !operation.get("summary").asString().contains("Needs no token");
    }

    boolean isOfTheActuator() {
        return template.startsWith("/actuator/");
    }

    @Override
    public String toString() {
        return method + " " + template;
    }
}
