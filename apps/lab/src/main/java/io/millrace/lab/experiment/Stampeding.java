// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessCpu;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A cache that a thousand callers ask for what expires; with two processes, as many ask in the other at the same time. */
record Stampeding(TextCache.Source source, int processes) implements WarmContender {

    static final String COMPUTATIONS = "computations";
    static final String LAST = "last after expiry ms";

    /** Of those that need one for each command in flight. */
    static final int CONNECTIONS = 64;

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
        return source.note() + "; callers are virtual threads";
    }

    @Override
    public Rounds open(Task task) throws Exception {
        var compute = Duration.ofMillis(task.operations());
        var cache = source.opener().open(task.endpoint(), Endpoint.REPLY_TIMEOUT, CONNECTIONS);
        try {
            Optional<HerdElsewhere> elsewhere = processes == 1
                    ? Optional.empty()
                    : Optional.of(HerdElsewhere.start(
                            new HerdProcess.Place(source.label(), task.endpoint(), compute.toMillis())));
            return new Rushing(this, cache, new Herd(cache, "here", compute), elsewhere);
        } catch (RuntimeException e) { // a second process that could not start
            cache.close();
            throw e;
        }
    }

    private static final class Rushing implements Rounds {

        private final Stampeding contender;
        private final TextCache cache;
        private final Herd herd;
        private final Optional<HerdElsewhere> elsewhere;
        private int number;

        /** Of the last round, by process. */
        private List<Herd.Rush> rushes = List.of();

        Rushing(Stampeding contender, TextCache cache, Herd herd, Optional<HerdElsewhere> elsewhere) {
            this.contender = contender;
            this.cache = cache;
            this.herd = herd;
            this.elsewhere = elsewhere;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            number++;
            var old = "old-" + number;
            cache.put(Herd.KEY, old, Herd.LIFE);
            var call = new Herd.Call(number, old, Herd.LIFE.toMillis());
            elsewhere.ifPresent(other -> other.call(call));
            var mine = herd.rush(call);
            rushes = elsewhere.map(other -> List.of(mine, other.answer())).orElse(List.of(mine));
            return Optional.of(Unanswered.outcomes(callers(), exceptions()));
        }

        @Override
        public ProcessCpu cpuElsewhere() {
            return elsewhere.isPresent() ? rushes.getLast().cpu() : ProcessCpu.NONE;
        }

        private Map<String, Long> exceptions() {
            return rushes.stream()
                    .flatMap(rush -> rush.failures().entrySet().stream())
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, TreeMap::new));
        }

        /** Whether any caller of each process asked while callers of the other waited: else they were two stampedes. */
        private boolean metEachOther() {
            long lastToCome =
                    rushes.stream().mapToLong(Herd.Rush::firstEpochMillis).max().orElseThrow();
            long firstToLeave =
                    rushes.stream().mapToLong(Herd.Rush::lastEpochMillis).min().orElseThrow();
            return lastToCome <= firstToLeave;
        }

        private long callers() {
            return (long) Herd.CALLERS * contender.processes();
        }

        private long failures() {
            return exceptions().values().stream().mapToLong(Long::longValue).sum();
        }

        private long computations() {
            return rushes.stream().mapToLong(rush -> rush.computed().size()).sum();
        }

        private double lastMillis() {
            return rushes.stream().mapToDouble(Herd.Rush::lastMillis).max().orElseThrow();
        }

        /** Each caller that has a text has one of this round; and whoever is held to a promise keeps it, and fails no caller. */
        @Override
        public List<String> complaints() {
            var complaints = new ArrayList<String>();
            var computed = new HashSet<String>();
            rushes.forEach(rush -> computed.addAll(rush.computed()));
            long right = rushes.stream()
                    .flatMap(rush -> rush.seen().entrySet().stream())
                    .filter(seen -> computed.contains(seen.getKey()))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            if (right + failures() != callers()) {
                complaints.add(
                        "callers with a text of this round: expected=" + (callers() - failures()) + ", found=" + right);
            }
            if (failures() > 0 && contender.source().promise() != TextCache.Promise.NONE) {
                complaints.add("callers that failed: " + failuresInWords());
            }
            if (!isKept(contender.source().promise())) {
                complaints.add("computations: promised=" + contender.source().promise() + ", found="
                        + rushes.stream().map(rush -> rush.computed().size()).toList());
            }
            return complaints;
        }

        private String failuresInWords() {
            return exceptions().entrySet().stream()
                    .map(failure -> failure.getValue() + " got " + failure.getKey())
                    .collect(Collectors.joining(", "));
        }

        private boolean isKept(TextCache.Promise promise) {
            return switch (promise) {
                case NONE -> true;
                case ONE_IN_EACH ->
                    rushes.stream().allMatch(rush -> rush.computed().size() <= 1);
                case ONE_IN_ALL -> computations() == 1;
            };
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(
                    Measured.OPERATIONS, (double) callers(), COMPUTATIONS, (double) computations(), LAST, lastMillis());
        }

        @Override
        public Optional<String> remark() {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%,d callers, %,d %s, the last answer %.0f ms after the expiry%s%s",
                    callers(),
                    computations(),
                    computations() == 1 ? "computation" : "computations",
                    lastMillis(),
                    failures() == 0 ? "" : ", " + failuresInWords(),
                    metEachOther() ? "" : "; the callers of the two processes did NOT meet"));
        }

        @Override
        public void close() throws Exception {
            elsewhere.ifPresent(HerdElsewhere::close);
            cache.close();
        }
    }
}
