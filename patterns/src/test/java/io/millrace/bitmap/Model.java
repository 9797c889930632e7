// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What an activity is to answer, computed from plain sets. */
final class Model {

    private final Map<Source, TreeSet<Long>> sets = new HashMap<>();
    private final Grain grain;

    Model(Grain grain) {
        this.grain = grain;
    }

    /** Whether that is new. */
    boolean mark(String event, Mark mark) {
        return sets.computeIfAbsent(new Source(event, Span.of(grain, mark.time())), added -> new TreeSet<>())
                .add(mark.id());
    }

    void forget(String event, Span span) {
        span.in(grain).forEach(part -> sets.remove(new Source(event, part)));
    }

    SortedSet<Long> of(Audience audience) {
        return switch (audience) {
            case Audience.Active(String event, List<Span> spans) ->
                spans.stream()
                        .flatMap(span -> span.in(grain).stream())
                        .flatMap(part -> sets.getOrDefault(new Source(event, part), new TreeSet<>()).stream())
                        .collect(Collectors.toCollection(TreeSet::new));
            case Audience.Any(List<Audience> parts) ->
                parts.stream().flatMap(part -> of(part).stream()).collect(Collectors.toCollection(TreeSet::new));
            case Audience.All(List<Audience> parts) -> {
                SortedSet<Long> all = of(parts.getFirst());
                parts.forEach(part -> all.retainAll(of(part)));
                yield all;
            }
            case Audience.Without(Audience those, Audience taken) -> {
                SortedSet<Long> left = of(those);
                left.removeAll(of(taken));
                yield left;
            }
        };
    }

    RetentionTable retention(String event, List<Span> spans, boolean firstOnly) {
        List<RetentionTable.Cohort> cohorts = new ArrayList<>();
        TreeSet<Long> earlier = new TreeSet<>();
        for (int row = 0; row < spans.size(); row++) {
            SortedSet<Long> cohort = of(Audience.active(event, spans.get(row)));
            TreeSet<Long> own = new TreeSet<>(cohort);
            if (firstOnly) {
                own.removeAll(earlier);
            }
            earlier.addAll(cohort);
            List<Long> active = new ArrayList<>();
            for (Span later : spans.subList(row, spans.size())) {
                SortedSet<Long> back = of(Audience.active(event, later));
                back.retainAll(own);
                active.add((long) back.size());
            }
            cohorts.add(new RetentionTable.Cohort(spans.get(row), active));
        }
        return new RetentionTable(cohorts);
    }

    /** An audience by chance, up to {@code depth} combinations deep. */
    static Audience audience(SplittableRandom random, List<String> events, List<Span> spans, int depth) {
        int kind = depth == 0 ? 0 : random.nextInt(4);
        if (kind == 0) {
            int from = random.nextInt(spans.size());
            int to = from + 1 + random.nextInt(spans.size() - from);
            return Audience.active(events.get(random.nextInt(events.size())), spans.subList(from, to));
        }
        Audience one = audience(random, events, spans, depth - 1);
        Audience other = audience(random, events, spans, depth - 1);
        return kind == 1 ? one.or(other) : kind == 2 ? one.and(other) : one.butNot(other);
    }
}
