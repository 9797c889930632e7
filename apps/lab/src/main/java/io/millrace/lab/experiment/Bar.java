// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.List;
import java.util.Optional;

/**
 * A limit that Millrace promises: a figure of one contender, divided by the same figure of the best of others if there
 * are others.
 *
 * @param name the limited figure, such as {@code per second}
 * @param contender label of the contender
 * @param figure the figure of the contender
 * @param others labels of the contenders to compare with; empty for an absolute limit. If there are several, the best
 *     median is used: the smallest if the limit is a maximum, otherwise the largest
 * @param limit empty for a figure that is only shown
 * @param isToWorst whether the worst median of several others is used instead of the best. For work that consists of
 *     several parts, each of which another contender does alone
 * @param isByInterval whether the 95 % interval of the ratios of paired rounds decides instead of the median. For a
 *     limit that is smaller than the differences between rounds
 */
public record Bar(
        String name,
        String contender,
        Figure figure,
        List<String> others,
        Optional<Limit> limit,
        boolean isToWorst,
        boolean isByInterval) {

    public Bar(String name, String contender, Figure figure, List<String> others, Optional<Limit> limit) {
        this(name, contender, figure, others, limit, false, false);
    }

    public Bar {
        others = List.copyOf(others);
    }

    /** A limit and its direction. */
    public record Limit(boolean atMost, double value) {

        public static Limit atMost(double value) {
            return new Limit(true, value);
        }

        public static Limit atLeast(double value) {
            return new Limit(false, value);
        }

        public boolean holds(double measured) {
            return atMost ? measured <= value : measured >= value;
        }

        @Override
        public String toString() {
            return (atMost ? "at most " : "at least ") + value;
        }
    }

    /** The ratio of {@code contender} to the best of {@code others}. */
    public static Bar ratio(String name, String contender, Figure figure, List<String> others, Limit limit) {
        return new Bar(name, contender, figure, others, Optional.of(limit));
    }

    /** The ratio of {@code contender} to the worst of {@code parts}, each of which does a part of the work alone. */
    public static Bar toLargestPart(String name, String contender, Figure figure, List<String> parts, Limit limit) {
        return new Bar(name, contender, figure, parts, Optional.of(limit), true, false);
    }

    /**
     * This limit, judged by the interval of the ratios of rounds that ran one after the other. The limit is held if the
     * whole interval holds it, missed if the whole interval is beyond it, and otherwise unknown.
     */
    public Bar byInterval() {
        return new Bar(name, contender, figure, others, limit, isToWorst, true);
    }

    /** The median of one contender. */
    public static Bar absolute(String name, String contender, Figure figure, Limit limit) {
        return new Bar(name, contender, figure, List.of(), Optional.of(limit));
    }
}
