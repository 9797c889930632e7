// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A promise about one contender: a figure, divided by the same figure of another contender if there is one, and its
 * limit.
 *
 * @param name what the figure is, such as {@code wall}
 * @param contender the label of the one it is about
 * @param figure of that contender
 * @param base whom it is compared with; empty for an absolute figure
 * @param bound empty for a figure that is shown and promised nothing
 */
public record Bar(String name, String contender, Figure figure, Optional<Base> base, Optional<Bound> bound) {

    /**
     * Whom a contender is compared with, and the figure that is taken of it.
     *
     * @param contenders if several, then the one with the highest figure
     */
    public record Base(List<String> contenders, Figure figure) {

        public Base {
            contenders = List.copyOf(contenders);
        }
    }

    /** A limit and the side of it that is right. */
    public record Bound(boolean atMost, double limit) {

        public static Bound atMost(double limit) {
            return new Bound(true, limit);
        }

        public static Bound atLeast(double limit) {
            return new Bound(false, limit);
        }

        boolean holds(double value) {
            return atMost ? value <= limit : value >= limit;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s %.2f", atMost ? "<=" : ">=", limit);
        }
    }

    /** A ratio of the medians of two contenders. */
    public static Bar ratio(String name, String contender, String base, Figure figure, Bound bound) {
        return toBest(name, contender, List.of(base), figure, bound);
    }

    /** A ratio of medians: that of {@code contender} to the highest of {@code bases}, all of which must be measured. */
    public static Bar toBest(String name, String contender, List<String> bases, Figure figure, Bound bound) {
        return new Bar(name, contender, figure, Optional.of(new Base(bases, figure)), Optional.of(bound));
    }

    /** A ratio of the medians of two contenders, without a limit. */
    public static Bar shownRatio(String name, String contender, String base, Figure figure) {
        return new Bar(name, contender, figure, Optional.of(new Base(List.of(base), figure)), Optional.empty());
    }

    /** The median of one contender's figure. */
    public static Bar absolute(String name, String contender, Figure figure, Bound bound) {
        return new Bar(name, contender, figure, Optional.empty(), Optional.of(bound));
    }

    /** A contender's own figure, compared with the wall time of another. */
    public static Bar own(String name, String contender, String figure, String base, Bound bound) {
        return new Bar(
                name,
                contender,
                Figure.own(figure),
                Optional.of(new Base(List.of(base), Figure.WALL)),
                Optional.of(bound));
    }

    /** The median of one contender's figure, of which nothing is promised. */
    public static Bar shown(String name, String contender, Figure figure) {
        return new Bar(name, contender, figure, Optional.empty(), Optional.empty());
    }

    /**
     * A bar held against a run.
     *
     * @param against the label of the one it was compared with; empty for an absolute figure, or if not measured
     * @param median of the contender's figure
     * @param perRound the figure, or the ratio, round by round
     * @param value what is compared with the limit: the ratio of the medians, or the median; empty if not measured
     */
    public record Verdict(
            Bar bar, Optional<String> against, OptionalDouble median, Series perRound, OptionalDouble value) {

        /** Empty if nothing is promised; a figure that could not be measured does not hold. */
        public Optional<Boolean> held() {
            return bar.bound().map(bound -> value.isPresent() && bound.holds(value.getAsDouble()));
        }
    }

    /** Holds this bar against the runs of one workload. */
    public Verdict judge(List<Run> runs) {
        var mine = series(runs, contender, figure);
        if (base.isEmpty()) {
            return new Verdict(this, Optional.empty(), mine.median(), mine, mine.median());
        }
        var against = highest(runs, base.get());
        var theirs =
                against.map(label -> series(runs, label, base.get().figure())).orElse(new Series(List.of()));
        return new Verdict(
                this, against, mine.median(), mine.dividedBy(theirs), quotient(mine.median(), theirs.median()));
    }

    /** Empty unless all of them were measured: one that is missing might have been the highest. */
    private static Optional<String> highest(List<Run> runs, Base base) {
        Map<String, Double> medians = new LinkedHashMap<>();
        for (var label : base.contenders()) {
            series(runs, label, base.figure()).median().ifPresent(median -> medians.put(label, median));
        }
        return medians.size() < base.contenders().size()
                ? Optional.empty()
                : medians.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    private static Series series(List<Run> runs, String label, Figure figure) {
        return runs.stream()
                .filter(run -> run.contender().label().equals(label) && run.verified())
                .findFirst()
                .map(figure::of)
                .orElse(new Series(List.of()));
    }

    private static OptionalDouble quotient(OptionalDouble a, OptionalDouble b) {
        return a.isPresent() && b.isPresent()
                ? OptionalDouble.of(a.getAsDouble() / b.getAsDouble())
                : OptionalDouble.empty();
    }
}
