// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Many lists are drained, {@value #POPS} pops each. */
record Drains() implements Activity {

    private static final int POPS = 200;

    @Override
    public String name() {
        return "drain";
    }

    /** Whole lists. */
    @Override
    public long operations(long asked) {
        return Math.max(POPS, asked / POPS * POPS);
    }

    private static List<String> lists(long operations) {
        return LongStream.range(0, operations / POPS)
                .mapToObj(n -> String.format(Locale.ROOT, "%slist:%05d", Keyspace.PREFIX, n))
                .toList();
    }

    /** What the n-th pop of {@code list} gives. */
    private static String element(String list, int n) {
        return list + " element " + n;
    }

    @Override
    public void fill(RedisServer server, long operations) {
        try (var pipeline = server.control().pipelined()) {
            for (var list : lists(operations)) {
                pipeline.lpush(
                        list,
                        IntStream.range(0, POPS).mapToObj(n -> element(list, n)).toArray(String[]::new));
            }
            pipeline.sync();
        }
    }

    @Override
    public Work work(long operations) {
        return new Popping(lists(operations));
    }

    private static final class Popping implements Work {

        private final List<String> lists;
        private final List<String> expected;
        private List<@Nullable String> found = List.of();

        Popping(List<String> lists) {
            this.lists = lists;
            this.expected = lists.stream()
                    .flatMap(list -> IntStream.range(0, POPS).mapToObj(n -> element(list, n)))
                    .toList();
        }

        @Override
        public void run(Idiom idiom, int batch) throws Exception {
            found = idiom.pop(lists, POPS, batch);
        }

        @Override
        public List<String> complaints() {
            return Comparison.complaints("popped", expected, found);
        }
    }

    @Override
    public List<Counted> commands() {
        return List.of(new Counted("rpop", "rpop"));
    }

    @Override
    public Check check() {
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                long keys = server.keys();
                return keys == 0 ? List.of() : List.of("lists that are not empty: " + keys);
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                long left = lists(operations).stream()
                        .mapToLong(server.control()::llen)
                        .sum();
                return new Outcomes(operations - left, 0, 0, 0, left);
            }
        };
    }
}
