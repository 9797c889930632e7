// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.server.LabException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What {@code wrk} has counted.
 *
 * @param requests answers, with those whose status is above 399
 * @param bytes length of all answers
 * @param errors number of errors by kind, without the kinds that did not occur
 */
record WrkResult(long requests, long bytes, Map<String, Long> errors, double p50Micros, double p99Micros) {

    /** {@code wrk} counts a redirect as a success. A redirect, and an answer without a body, has another length. */
    private static final double ALLOWED_DIFFERENCE = 0.02;

    private static final Pattern LINE =
            Pattern.compile("(?m)^millrace-lab: requests=(\\d+) bytes=(\\d+) connect=(\\d+) read=(\\d+)"
                    + " write=(\\d+) status=(\\d+) timeout=(\\d+) p50=(\\d+) p99=(\\d+)$");

    private static final List<String> KINDS = List.of("connect", "read", "write", "status", "timeout");

    /** The groups before the kinds. */
    private static final int FIRST_KIND = 3;

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
            long count = Long.parseLong(line.group(i + FIRST_KIND));
            if (count > 0) {
                errors.put(KINDS.get(i), count);
            }
        }
        return new WrkResult(
                Long.parseLong(line.group(1)),
                Long.parseLong(line.group(2)),
                errors,
                Double.parseDouble(line.group(FIRST_KIND + KINDS.size())),
                Double.parseDouble(line.group(FIRST_KIND + KINDS.size() + 1)));
    }

    static String oneLine(String output) {
        return output.strip().replace('\n', ' ');
    }

    /** Answers with a good status. */
    long succeeded() {
        return requests - errors.getOrDefault("status", 0L);
    }

    /**
     * Each kind of error is a complaint. A run without an answer is a complaint, too, and a run whose answers have another
     * length than {@code answerBytes}.
     *
     * @param answerBytes mean length of the right answers
     */
    List<String> complaints(double answerBytes) {
        if (!errors.isEmpty()) {
            return List.of("errors of wrk: requests=" + requests + ", "
                    + errors.entrySet().stream()
                            .map(kind -> kind.getKey() + "=" + kind.getValue())
                            .collect(Collectors.joining(", ")));
        }
        if (requests == 0) {
            return List.of("wrk got no answer");
        }
        double found = (double) bytes / requests;
        return Math.abs(found - answerBytes) <= ALLOWED_DIFFERENCE * answerBytes
                ? List.of()
                : List.of(String.format(
                        Locale.ROOT, "wrong answers: expected bytes=%.1f, found bytes=%.1f", answerBytes, found));
    }
}
