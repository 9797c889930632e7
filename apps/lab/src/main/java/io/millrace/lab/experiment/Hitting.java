// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A cache that is asked for what it has, by callers that each wait for the answer and look at it. */
record Hitting(TextCache.Source source, int callers) implements WarmContender {

    static final String MEDIAN = "median ns";
    static final String SLOW = "99 % ns";

    /** Few enough for a near cache to have them all after the warm-up round, and for nobody to have just asked for the same. */
    private static final int KEYS = 1_000;

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return source.variant();
    }

    @Override
    public String jvm() {
        return source.label();
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public String note() {
        return source.note() + (callers == 1 ? "" : "; callers are virtual threads");
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new Asking(
                source.opener().open(task.endpoint(), Endpoint.REPLY_TIMEOUT, callers), callers, task.operations());
    }

    private static final class Asking implements Rounds {

        private final TextCache cache;
        private final int callers;
        private final List<String> keys = Texts.keys(KEYS);
        private final AtomicLong computed = new AtomicLong();
        private final AtomicLong wrong = new AtomicLong();

        /** How long each answer took, by caller; written by the callers of a round, and read when it is over. */
        private final long[][] nanos;

        Asking(TextCache cache, int callers, long operations) {
            this.cache = cache;
            this.callers = callers;
            this.nanos = new long[callers][];
            for (int caller = 0; caller < callers; caller++) {
                nanos[caller] = new long[(int) (operations / callers + (caller < operations % callers ? 1 : 0))];
            }
        }

        @Override
        public void fill() throws Exception {
            cache.putAll(Texts.entries(KEYS));
            cache.getAll(keys); // what has a near part gets it filled too
            computed.set(0);
            wrong.set(0);
        }

        private String compute(String key) {
            computed.incrementAndGet();
            return Texts.of(key);
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            (callers == 1 ? Callers.PLATFORM : Callers.VIRTUAL).run(callers, this::ask);
            return Optional.of(Outcomes.answered(answers(), wrong.get()));
        }

        private long answers() {
            return Arrays.stream(nanos).mapToLong(one -> one.length).sum();
        }

        private void ask(int caller) throws Exception {
            var mine = nanos[caller];
            long last = System.nanoTime();
            for (int i = 0; i < mine.length; i++) {
                var key = keys.get((caller * 17 + i) % KEYS);
                if (!isRight(key, cache.get(key, this::compute))) {
                    wrong.incrementAndGet();
                }
                long now = System.nanoTime();
                mine[i] = now - last;
                last = now;
            }
        }

        /** Without making the text that it is to be. */
        private static boolean isRight(String key, String text) {
            return text.startsWith(key) && text.startsWith(Texts.REST, key.length());
        }

        @Override
        public List<String> complaints() {
            return computed.get() == 0 && wrong.get() == 0
                    ? List.of()
                    : List.of("hits: wrong=" + wrong.get() + ", computed although they were there=" + computed.get());
        }

        @Override
        public Map<String, Double> figures() {
            var sorted =
                    Arrays.stream(nanos).flatMapToLong(Arrays::stream).sorted().toArray();
            return Map.of(
                    MEDIAN, (double) sorted[sorted.length / 2],
                    SLOW, (double) sorted[(int) (sorted.length * 0.99)]);
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
