// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A report with all that a page can show: four experiments, several round trips, a failure, markup where text belongs.
 */
final class SampleReport {

    static String text() {
        try (var in = SampleReport.class.getResourceAsStream("sample.json")) {
            return new String(Objects.requireNonNull(in, "sample.json").readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode json() {
        return JsonMapper.shared().readTree(text());
    }

    static Stream<JsonNode> results() {
        return StreamSupport.stream(json().path("results").spliterator(), false);
    }

    /** A report of one result of Lettuce; {@code fields} come after those it has. */
    static String one(String fields) {
        return """
                {"results": [{"experiment": "e1", "variant": "pool-8", "contender": "lettuce", "operations": 100,
                              "wallSeconds": [1, 1], "medianWallSeconds": 1, "operationsPerSecond": 100%s}]}
                """.formatted(fields);
    }

    private SampleReport() {}
}
