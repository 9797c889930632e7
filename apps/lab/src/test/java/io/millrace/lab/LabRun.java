// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lab, run to its end in this JVM.
 *
 * @param exit its exit code
 * @param out what it printed
 * @param err what it said meanwhile
 */
record LabRun(int exit, String out, String err) {

    static LabRun of(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int exit = Lab.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                args);
        return new LabRun(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** What it printed, as the one JSON object that this is to be. */
    JsonNode json() {
        return JsonMapper.builder()
                .enable(tools.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build()
                .readTree(out);
    }

    /** The results in the object, in their order. */
    List<JsonNode> results() {
        return StreamSupport.stream(json().path("results").spliterator(), false).toList();
    }

    /** Those of {@code contender}. */
    List<JsonNode> results(String contender) {
        return results().stream()
                .filter(result -> result.path("contender").stringValue().equals(contender))
                .toList();
    }
}
