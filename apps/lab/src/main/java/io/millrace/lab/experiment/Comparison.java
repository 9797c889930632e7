// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What was read beside what was to be read. */
public final class Comparison {

    /** Empty if {@code found} is {@code expected}, in the same order. */
    public static <T> List<String> complaints(String what, List<T> expected, List<? extends @Nullable T> found) {
        if (expected.size() != found.size()) {
            return List.of(what + ": expected=" + expected.size() + ", found=" + found.size());
        }
        var wrong = IntStream.range(0, expected.size())
                .filter(i -> !Objects.equals(expected.get(i), found.get(i)))
                .toArray();
        return wrong.length == 0
                ? List.of()
                : List.of(what + ": wrong or missing=" + wrong.length + " of " + expected.size() + ", the first at "
                        + wrong[0] + ": expected=" + expected.get(wrong[0]) + ", found=" + found.get(wrong[0]));
    }

    private Comparison() {}
}
