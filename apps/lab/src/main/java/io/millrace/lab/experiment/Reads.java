// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Numbered pairs are set, then read, and every value must come back in its place. */
record Reads() implements Activity {

    @Override
    public String name() {
        return "reads";
    }

    /** Whole pairs: a set and a get. */
    @Override
    public long operations(long asked) {
        return Math.max(2, asked / 2 * 2);
    }

    @Override
    public Work work(long operations) {
        return new SetAndGet(Pairs.first(operations / 2));
    }

    private static final class SetAndGet implements Work {

        private final List<Pair> pairs;
        private final List<String> keys;
        private final List<String> expected;
        private List<@Nullable String> found = List.of();

        SetAndGet(List<Pair> pairs) {
            this.pairs = pairs;
            this.keys = pairs.stream().map(Pair::key).toList();
            this.expected = pairs.stream().map(Pair::value).toList();
        }

        @Override
        public void run(Idiom idiom, int batch) throws Exception {
            idiom.set(pairs, batch);
            found = idiom.get(keys, batch);
        }

        @Override
        public List<String> complaints() {
            return Comparison.complaints("values read", expected, found);
        }
    }

    @Override
    public List<Counted> commands() {
        return List.of(new Counted("set", "mset"), new Counted("get", "mget"));
    }

    @Override
    public Check check() {
        return new Check() {
            private final Pairs pairs = new Pairs();

            @Override
            public List<String> complaints(RedisServer server, long operations) {
                return pairs.complaints(server, operations / 2);
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                long lost = pairs.outcomes(server, operations / 2).lost();
                return new Outcomes(operations - lost, 0, 0, 0, lost);
            }
        };
    }
}
