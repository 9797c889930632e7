// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.List;
import java.util.Map;

/** A library has the same colour in all charts of all reports. The style sheet has the colours. */
final class Palette {

    private static final Map<String, String> COLOURS = Map.ofEntries(
            Map.entry("millrace", "millrace"),
            Map.entry("jedis", "jedis"),
            Map.entry("lettuce", "lettuce"),
            Map.entry("redisson", "redisson"),
            Map.entry("glide", "glide"),
            Map.entry("spring", "spring"),
            Map.entry("vertx", "vertx"),
            Map.entry("redis-cli", "tool"),
            Map.entry("redis-cli-pipe", "tool"),
            Map.entry("redis-benchmark", "tool"),
            Map.entry("riot", "riot"),
            Map.entry("riotx", "riot"),
            Map.entry("raw-socket", "floor"),
            Map.entry("jdk", "floor"),
            Map.entry("fs2", "fs2"),
            Map.entry("reactor", "reactor"));

    private static final List<String> SPARE = List.of("spare-1", "spare-2", "spare-3");

    /** The class of the style sheet for {@code library}. Unknown libraries share three colours. */
    static String styleOf(String library) {
        String known = COLOURS.get(library);
        return "c-" + (known != null ? known : SPARE.get(Math.floorMod(library.hashCode(), SPARE.size())));
    }

    private Palette() {}
}
