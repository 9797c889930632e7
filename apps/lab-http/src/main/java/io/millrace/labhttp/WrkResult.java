// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.server.LabException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What {@code wrk} has counted.
 *
 * @param requests answers, with those whose status is above 399
 * @param errors number of errors by kind, without the kinds that did not occur
 */
record WrkResult(long requests, Map<String, Long> errors, double p50Micros, double p99Micros) {

    private static final Pattern LINE = Pattern.compile("(?m)^millrace-lab: requests=(\\d+) connect=(\\d+) read=(\\d+)"
            + " write=(\\d+) status=(\\d+) timeout=(\\d+) p50=(\\d+) p99=(\\d+)$");

    private static final List<String> KINDS = List.of("connect", "read", "write", "status", "timeout");

    /** Reads the line of the script, which must be there once. */
    static WrkResult parse(String output) {
        List<MatchResult> lines = LINE.matcher(output).results().toList();
        if (lines.size() != 1) {
            throw new LabException(
                    "the figures of wrk cannot be read: lines=" + lines.size() + ", output=" + oneLine(output));
        }
        MatchResult line = lines.getFirst();
        Map<String, Long> errors = new LinkedHashMap<>();
        for (int i = 0; i < KINDS.size(); i++) {
            long count = Long.parseLong(line.group(i + 2));
            if (count > 0) {
                errors.put(KINDS.get(i), count);
            }
        }
        return new WrkResult(
                Long.parseLong(line.group(1)),
                errors,
                Double.parseDouble(line.group(KINDS.size() + 2)),
                Double.parseDouble(line.group(KINDS.size() + 3)));
    }

    static String oneLine(String output) {
        return output.strip().replace('\n', ' ');
    }

    /** Answers with a good status. */
    long succeeded() {
        return requests - errors.getOrDefault("status", 0L);
    }

    /** Each kind of error is a complaint. A run without an answer is a complaint, too. */
    List<String> complaints() {
        if (!errors.isEmpty()) {
            return List.of("errors of wrk: requests=" + requests + ", "
                    + errors.entrySet().stream()
                            .map(kind -> kind.getKey() + "=" + kind.getValue())
                            .collect(Collectors.joining(", ")));
        }
        return requests == 0 ? List.of("wrk got no answer") : List.of();
    }
}
