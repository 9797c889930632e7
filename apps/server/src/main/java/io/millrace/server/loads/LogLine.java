// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A line of the load log: one JSON object with the members of a {@link LoadRecord} and of its {@link LoadDetails}. A line has
 * at most {@link #MAX_BYTES}: the longest list is halved until the line fits, and the report says how many elements are
 * missing.
 */
final class LogLine {

    /** With the line end. 1,000 such lines take 62.5 MiB. */
    static final int MAX_BYTES = 64 * 1024;

    private static final String REPORT = "report";
    private static final List<String> LISTS = List.of("unconfirmedRows", "warnings", "nodes");

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private LogLine() {}

    static byte[] of(LoadRecord load, LoadDetails details) {
        ObjectNode tree = JSON.valueToTree(load);
        JsonNode report = details.report();
        if (report == null) {
            tree.putNull(REPORT);
        } else {
            tree.set(REPORT, report.deepCopy());
        }
        ArrayNode rejects = tree.putArray(LoadDetails.REJECTS);
        details.rejects().forEach(rejects::add);
        byte[] line = bytes(tree);
        while (line.length > MAX_BYTES && hasShrunk(tree)) {
            line = bytes(tree);
        }
        return line;
    }

    private static byte[] bytes(ObjectNode tree) {
        return (JSON.writeValueAsString(tree) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Halves the list with the longest text. A line without lists loses its report. */
    private static boolean hasShrunk(ObjectNode tree) {
        ObjectNode report = tree.get(REPORT) instanceof ObjectNode object ? object : null;
        Optional<NamedList> longest = lists(tree, report)
                .filter(list -> !list.elements.isEmpty())
                .max(Comparator.comparingInt(list -> list.elements.toString().length()));
        if (longest.isPresent()) {
            NamedList list = longest.get();
            int kept = list.elements.size() / 2;
            if (report != null) {
                LoadDetails.omit(report, list.name, (long) list.elements.size() - kept);
            }
            while (list.elements.size() > kept) {
                list.elements.remove(list.elements.size() - 1);
            }
            return true;
        }
        if (report != null) {
            tree.putNull(REPORT);
            return true;
        }
        return false;
    }

    private record NamedList(String name, ArrayNode elements) {}

    private static Stream<NamedList> lists(ObjectNode tree, @Nullable ObjectNode report) {
        List<NamedList> lists = new ArrayList<>();
        add(lists, LoadDetails.REJECTS, tree.get(LoadDetails.REJECTS));
        if (report != null) {
            LISTS.forEach(name -> add(lists, name, report.get(name)));
        }
        return lists.stream();
    }

    private static void add(List<NamedList> lists, String name, @Nullable JsonNode list) {
        if (list instanceof ArrayNode elements) {
            lists.add(new NamedList(name, elements));
        }
    }

    /** Returns the load of a line; empty if the line is not complete. */
    static Optional<LoadRecord> load(byte[] line) {
        try {
            return Optional.ofNullable(JSON.readValue(line, LoadRecord.class));
        } catch (JacksonException | NullPointerException incomplete) {
            return Optional.empty();
        }
    }

    /** Returns the details of a line that has a load. */
    static LoadDetails details(byte[] line) {
        JsonNode tree = JSON.readTree(line);
        JsonNode report = tree.get(REPORT);
        List<String> rejects = new ArrayList<>();
        JsonNode lines = tree.get(LoadDetails.REJECTS);
        if (lines != null) {
            lines.forEach(each -> rejects.add(each.asString()));
        }
        return new LoadDetails(report == null || report.isNull() ? null : report, rejects);
    }
}
