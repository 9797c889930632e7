// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One call of a cache for a text that takes long to compute, and lives twice as long.
 *
 * @param second whether there has been another just before
 */
record Calling(TextCache.Source source, boolean second) implements WarmContender {

    private static final String KEY = "called-for";
    private static final int LIVES_TIMES = 2;

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return (second ? "second-" : "first-") + source.variant();
    }

    @Override
    public String jvm() {
        return source.label();
    }

    @Override
    public String note() {
        return source.note();
    }

    @Override
    public Rounds open(Task task) throws Exception {
        var compute = Duration.ofMillis(task.operations());
        var cache = source.opener().open(task.endpoint(), Endpoint.REPLY_TIMEOUT, 1, compute.multipliedBy(LIVES_TIMES));
        return new Call(cache, compute, second);
    }

    private static final class Call implements Rounds {

        private final TextCache cache;
        private final Duration compute;
        private final boolean second;

        /** Of the last round: what the call gave, and how often it had to compute. */
        private String text = "";

        private int computed;

        Call(TextCache cache, Duration compute, boolean second) {
            this.cache = cache;
            this.compute = compute;
            this.second = second;
        }

        /** A call before the first, too, is for another text: of a process that has just started the first use is no finding. */
        @Override
        public void fill() throws Exception {
            cache.get(second ? KEY : "another", Texts::of);
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            computed = 0;
            text = cache.get(KEY, key -> {
                computed++;
                LockSupport.parkNanos(compute.toNanos());
                return Texts.of(key);
            });
            return Optional.of(Outcomes.answered(1, text.equals(Texts.of(KEY)) ? 0 : 1));
        }

        @Override
        public List<String> complaints() {
            int expected = second ? 0 : 1;
            return computed == expected && text.equals(Texts.of(KEY))
                    ? List.of()
                    : List.of("call: computations expected=" + expected + ", found=" + computed + ", text=" + text);
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(Measured.OPERATIONS, 1.0);
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
