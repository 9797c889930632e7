// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares all strings on the server with the right values. */
final class KeyValues {

    private static final int BATCH = 1_000;
    private static final int MAX_COMPLAINTS = 3;

    private KeyValues() {}

    /** Returns complaints about the keys in {@code expected}, and with the number of all keys. */
    static List<String> complaints(RedisServer server, Map<String, String> expected) {
        List<String> complaints = new ArrayList<>();
        long found = server.keys();
        if (found != expected.size()) {
            complaints.add("keys: expected=" + expected.size() + ", found=" + found);
        }
        List<String> keys = expected.keySet().stream().sorted().toList();
        List<String> differences = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += BATCH) {
            List<String> some = keys.subList(from, Math.min(from + BATCH, keys.size()));
            List<@Nullable String> values = server.values(some);
            for (int i = 0; i < some.size(); i++) {
                String right = expected.getOrDefault(some.get(i), "");
                if (!right.equals(values.get(i))) {
                    differences.add(some.get(i) + ": expected=" + right + ", found=" + values.get(i));
                }
            }
        }
        if (!differences.isEmpty()) {
            complaints.add("wrong or missing values: " + differences.size() + " of " + keys.size());
            differences.stream().limit(MAX_COMPLAINTS).forEach(complaints::add);
        }
        return complaints;
    }
}
