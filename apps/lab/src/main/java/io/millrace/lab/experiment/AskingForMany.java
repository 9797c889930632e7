// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cache that is asked for a thousand texts at a time by one caller.
 *
 * @param together in one call, or else in a thousand, or in as many as there are operations if those are fewer
 */
record AskingForMany(TextCache.Source source, boolean together) implements WarmContender {

    static final int KEYS = 1_000;

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return together ? "at-once" : "in-turn";
    }

    @Override
    public String jvm() {
        return source.label();
    }

    @Override
    public boolean waits() {
        return !together;
    }

    @Override
    public String note() {
        return source.note();
    }

    @Override
    public Rounds open(Task task) throws Exception {
        var cache = source.opener().open(task.endpoint(), Endpoint.REPLY_TIMEOUT, 1);
        int keys = (int) (together ? KEYS : Math.min(KEYS, task.operations()));
        return new Asking(cache, together, keys, (int) Math.max(1, task.operations() / keys));
    }

    private static final class Asking implements Rounds {

        private final TextCache cache;
        private final boolean together;
        private final int times;
        private final List<String> keys;
        private final List<String> expected;

        /** Of the last round. */
        private List<String> complaints = List.of();

        Asking(TextCache cache, boolean together, int keys, int times) {
            this.cache = cache;
            this.together = together;
            this.keys = Texts.keys(keys);
            this.expected = this.keys.stream().map(Texts::of).toList();
            this.times = times;
        }

        @Override
        public void fill() throws Exception {
            cache.putAll(Texts.entries(keys.size()));
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            long right = 0;
            complaints = List.of();
            for (int i = 0; i < times; i++) {
                var found = together ? cache.getAll(keys) : inTurn();
                var wrong = Comparison.complaints("texts", expected, found);
                if (wrong.isEmpty()) {
                    right += keys.size();
                } else {
                    complaints = wrong;
                }
            }
            return Optional.of(Outcomes.answered(operations(), operations() - right));
        }

        private List<@Nullable String> inTurn() throws Exception {
            var found = new ArrayList<@Nullable String>(keys.size());
            for (var key : keys) {
                found.add(cache.get(key, missing -> "computed, although there is a text of " + missing));
            }
            return found;
        }

        @Override
        public List<String> complaints() {
            return complaints;
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(Measured.OPERATIONS, (double) operations());
        }

        private long operations() {
            return (long) times * keys.size();
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
