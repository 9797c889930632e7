// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.network.Door;
import io.millrace.lab.network.Door.Loss;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A cache whose server is lost, and whose callers ask all the same. The server itself goes on: what is lost is the way to it. */
record WithoutServer(TextCache.Source source, Loss loss) implements WarmContender {

    static final int CALLERS = 64;
    static final String TEXTS = "texts";
    static final String MEDIAN = "median ms";
    static final String LAST = "last answer ms";

    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final Duration COMPUTE = Duration.ofMillis(50);
    private static final Duration LONGEST_FILL = Duration.ofSeconds(20);

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
    public String note() {
        return source.note() + "; a command may take " + TIMEOUT.toMillis() + " ms, a computation takes "
                + COMPUTE.toMillis() + " ms; " + CALLERS + " callers, a key for each";
    }

    @Override
    public Rounds open(Task task) {
        return new Losing(this, task);
    }

    /** What a caller got, after so many milliseconds: the right text, or else an exception. */
    private record Answer(String kind, double millis) {

        static final String TEXT = "the text";
        static final String WRONG = "a WRONG text";
    }

    private static final class Losing implements Rounds {

        private final WithoutServer contender;
        private final Task task;

        /** There are both from {@link #prepare} to {@link #finish}. */
        private Optional<Door> door = Optional.empty();

        private Optional<TextCache> cache = Optional.empty();

        /** Of the last round. */
        private List<Answer> answers = List.of();

        Losing(WithoutServer contender, Task task) {
            this.contender = contender;
            this.task = task;
        }

        @Override
        public void prepare() throws Exception {
            close(); // those of a round that failed
            var opened = Door.to(task.host(), task.port());
            door = Optional.of(opened);
            cache = Optional.of(contender
                    .source()
                    .opener()
                    .open(task.endpoint().through(opened.host(), opened.port()), TIMEOUT, CALLERS));
        }

        /** Texts that are there, and a cache that has been used. That commands may take so short is meant for what comes after. */
        @Override
        public void fill() throws Exception {
            long start = System.nanoTime();
            while (true) {
                try {
                    fillOnce(cache.orElseThrow());
                    return;
                } catch (RuntimeException e) {
                    if (System.nanoTime() - start > LONGEST_FILL.toNanos()) {
                        throw e;
                    }
                }
            }
        }

        private static void fillOnce(TextCache filled) throws Exception {
            var keys = Texts.keys(CALLERS);
            filled.putAll(Texts.entries(CALLERS));
            filled.getAll(keys);
            for (var key : keys) {
                filled.get(key, Texts::of);
            }
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            door.orElseThrow().lose(contender.loss());
            var got = new Answer[CALLERS];
            Callers.VIRTUAL.run(CALLERS, caller -> got[caller] = ask(Texts.key(caller)));
            answers = List.of(got);
            return Optional.of(Unanswered.outcomes(CALLERS, exceptions()));
        }

        private Answer ask(String key) {
            long start = System.nanoTime();
            String kind;
            try {
                var text = cache.orElseThrow().get(key, missing -> {
                    LockSupport.parkNanos(COMPUTE.toNanos());
                    return Texts.of(missing);
                });
                kind = text.equals(Texts.of(key)) ? Answer.TEXT : Answer.WRONG;
            } catch (Exception e) {
                kind = Unanswered.name(e);
            }
            return new Answer(kind, (System.nanoTime() - start) / 1e6);
        }

        private Map<String, Long> exceptions() {
            var exceptions = new TreeMap<>(kinds());
            exceptions.keySet().removeAll(List.of(Answer.TEXT, Answer.WRONG));
            return exceptions;
        }

        private Map<String, Long> kinds() {
            return answers.stream().collect(Collectors.groupingBy(Answer::kind, TreeMap::new, Collectors.counting()));
        }

        private Stream<Answer> ofKind(String kind) {
            return answers.stream().filter(answer -> answer.kind().equals(kind));
        }

        /** Exceptions are what is found out; only of Millrace's cache each caller is to have a text. */
        @Override
        public List<String> complaints() {
            var complaints = new ArrayList<String>();
            long wrong = ofKind(Answer.WRONG).count();
            if (wrong > 0) {
                complaints.add("wrong texts: callers=" + wrong);
            }
            long texts = ofKind(Answer.TEXT).count();
            if (contender.source().promise() != TextCache.Promise.NONE && texts < CALLERS) {
                complaints.add("callers without a text: expected=0, found=" + (CALLERS - texts));
            }
            return complaints;
        }

        private double[] millis() {
            return answers.stream().mapToDouble(Answer::millis).sorted().toArray();
        }

        @Override
        public Map<String, Double> figures() {
            var sorted = millis();
            return Map.of(
                    TEXTS, (double) ofKind(Answer.TEXT).count(),
                    MEDIAN, sorted[sorted.length / 2],
                    LAST, sorted[sorted.length - 1]);
        }

        @Override
        public Optional<String> remark() {
            var sorted = millis();
            return Optional.of(kinds().entrySet().stream()
                            .map(kind -> kind.getValue() + " of " + CALLERS + " got " + kind.getKey())
                            .collect(Collectors.joining(", "))
                    + String.format(
                            Locale.ROOT,
                            ", the first after %.0f ms, half of them after %.0f ms, the last after %.0f ms",
                            sorted[0],
                            sorted[sorted.length / 2],
                            sorted[sorted.length - 1]));
        }

        @Override
        public void finish() throws Exception {
            close();
        }

        @Override
        public void close() throws Exception {
            door.ifPresent(Door::close);
            door = Optional.empty();
            if (cache.isPresent()) {
                var open = cache.get();
                cache = Optional.empty();
                open.close();
            }
        }
    }
}
