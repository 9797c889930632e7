// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A promise about one contender: a figure, divided by the same figure of another contender if there is one, and its limit.
 *
 * @param name what the figure is, such as {@code wall}
 * @param contender the label of the one it is about
 * @param figure of that contender
 * @param base whom it is compared with; empty for an absolute figure
 * @param bound empty for a figure that is shown and promised nothing
 */
public record Bar(String name, String contender, Figure figure, Optional<Base> base, Optional<Bound> bound) {

    /** The one that a contender is compared with, and the figure that is taken of it. */
    public record Base(String contender, Figure figure) {}

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
        return new Bar(name, contender, figure, Optional.of(new Base(base, figure)), Optional.of(bound));
    }

    /** The median of one contender's figure. */
    public static Bar absolute(String name, String contender, Figure figure, Bound bound) {
        return new Bar(name, contender, figure, Optional.empty(), Optional.of(bound));
    }

    /** A contender's own figure, compared with the wall time of another. */
    public static Bar own(String name, String contender, String figure, String base, Bound bound) {
        return new Bar(
                name, contender, Figure.own(figure), Optional.of(new Base(base, Figure.WALL)), Optional.of(bound));
    }

    /** The median of one contender's figure, of which nothing is promised. */
    public static Bar shown(String name, String contender, Figure figure) {
        return new Bar(name, contender, figure, Optional.empty(), Optional.empty());
    }

    /**
     * A bar held against a run.
     *
     * @param median of the contender's figure
     * @param perRound the figure, or the ratio, round by round
     * @param value what is compared with the limit: the ratio of the medians, or the median; empty if not measured
     */
    public record Verdict(Bar bar, OptionalDouble median, Series perRound, OptionalDouble value) {

        /** Empty if nothing is promised; a figure that could not be measured does not hold. */
        public Optional<Boolean> held() {
            return bar.bound().map(bound -> value.isPresent() && bound.holds(value.getAsDouble()));
        }
    }

    /** Holds this bar against the runs of one workload. */
    public Verdict judge(List<Run> runs) {
        var mine = series(runs, contender, figure);
        if (base.isEmpty()) {
            return new Verdict(this, mine.median(), mine, mine.median());
        }
        var theirs = series(runs, base.get().contender(), base.get().figure());
        return new Verdict(this, mine.median(), mine.dividedBy(theirs), quotient(mine.median(), theirs.median()));
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
