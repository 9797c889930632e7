// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.HashMap;
import java.util.Map;

/**
 * What a workload has made ready for its contenders: names and where to find it. Closing it ends what was started for
 * it.
 *
 * @param values by name, such as {@code csv} and the path of a file
 * @param release run once, when the last round is over
 */
public record Inputs(Map<String, String> values, Runnable release) implements AutoCloseable {

    public Inputs {
        values = Map.copyOf(values);
    }

    /** Inputs that need no end. */
    public static Inputs of(Map<String, String> values) {
        return new Inputs(values, () -> {});
    }

    /** These and {@code more}, which win. */
    Map<String, String> and(Map<String, String> more) {
        var all = new HashMap<>(values);
        all.putAll(more);
        return Map.copyOf(all);
    }

    @Override
    public void close() {
        release.run();
    }
}
