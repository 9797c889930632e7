// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Computes the expected results of an activity from plain sets. */
final class Model {

    private final Map<EventSpan, TreeSet<Long>> sets = new HashMap<>();
    private final Granularity granularity;

    Model(Granularity granularity) {
        this.granularity = granularity;
    }

    /** Returns whether the mark is new. */
    boolean mark(String event, Mark mark) {
        Span span = new MarkTimes(granularity, ZoneOffset.UTC).spanOf(mark);
        return sets.computeIfAbsent(new EventSpan(event, span), added -> new TreeSet<>())
                .add(mark.id());
    }

    SortedSet<Long> of(SetExpression setExpression) {
        return switch (setExpression) {
            case SetExpression.Active(String event, List<Span> spans) ->
                spans.stream()
                        .flatMap(span -> span.split(granularity).stream())
                        .flatMap(part -> sets.getOrDefault(new EventSpan(event, part), new TreeSet<>()).stream())
                        .collect(Collectors.toCollection(TreeSet::new));
            case SetExpression.Union(List<SetExpression> parts) ->
                parts.stream().flatMap(part -> of(part).stream()).collect(Collectors.toCollection(TreeSet::new));
            case SetExpression.Intersection(List<SetExpression> parts) -> {
                SortedSet<Long> all = of(parts.getFirst());
                parts.forEach(part -> all.retainAll(of(part)));
                yield all;
            }
            case SetExpression.Difference(SetExpression base, SetExpression excluded) -> {
                SortedSet<Long> left = of(base);
                left.removeAll(of(excluded));
                yield left;
            }
        };
    }

    RetentionTable retention(String event, List<Span> spans, boolean firstOnly) {
        List<RetentionTable.Cohort> cohorts = new ArrayList<>();
        TreeSet<Long> earlier = new TreeSet<>();
        for (int row = 0; row < spans.size(); row++) {
            SortedSet<Long> cohort = of(SetExpression.active(event, spans.get(row)));
            TreeSet<Long> own = new TreeSet<>(cohort);
            if (firstOnly) {
                own.removeAll(earlier);
            }
            earlier.addAll(cohort);
            List<Long> active = new ArrayList<>();
            for (Span later : spans.subList(row, spans.size())) {
                SortedSet<Long> back = of(SetExpression.active(event, later));
                back.retainAll(own);
                active.add((long) back.size());
            }
            cohorts.add(new RetentionTable.Cohort(spans.get(row), active));
        }
        return new RetentionTable(cohorts);
    }

    /** Returns a random set expression with up to {@code depth} nested operations. */
    static SetExpression expression(SplittableRandom random, List<String> events, List<Span> spans, int depth) {
        int kind = depth == 0 ? 0 : random.nextInt(4);
        if (kind == 0) {
            int from = random.nextInt(spans.size());
            int to = from + 1 + random.nextInt(spans.size() - from);
            return SetExpression.active(events.get(random.nextInt(events.size())), spans.subList(from, to));
        }
        SetExpression one = expression(random, events, spans, depth - 1);
        SetExpression other = expression(random, events, spans, depth - 1);
        return kind == 1 ? one.or(other) : kind == 2 ? one.and(other) : one.except(other);
    }
}
