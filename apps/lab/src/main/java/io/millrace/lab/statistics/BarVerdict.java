// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.statistics;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Whether a run holds a limit that Millrace promises. Limits apply with the round trip of the scenario, which is
 * usually zero.
 *
 * @param against label of the contender that is the best, or as the bar says the worst, of the others; empty for an absolute limit
 * @param value the figure, or the ratio, with its interval
 * @param state whether the median, or as the bar says the interval, holds the limit
 */
public record BarVerdict(
        String experiment, String scenario, Bar bar, Optional<String> against, Estimate value, BarState state) {

    /** What the median or the interval says about the limit. */
    public enum BarState {
        HELD,
        MISSED,
        /** A contender is missing, its data is not verified, or the interval that decides contains the limit. */
        UNKNOWN,
        /** The bar has no limit. */
        SHOWN
    }

    /** The verdicts about all bars of the scenarios of {@code results}. */
    public static List<BarVerdict> of(List<Result> results, long seed) {
        List<BarVerdict> verdicts = new ArrayList<>();
        for (Result result : results) {
            for (Bar bar : result.scenario().bars()) {
                if (result.roundTrip().equals(result.scenario().roundTrip())
                        && result.contender().label().equals(bar.contender())) {
                    verdicts.add(of(result, bar, results, seed));
                }
            }
        }
        return verdicts;
    }

    private static BarVerdict of(Result own, Bar bar, List<Result> results, long seed) {
        List<Result> others = results.stream()
                .filter(other -> isBeside(other, own)
                        && bar.others().contains(other.contender().label()))
                .filter(Result::isVerified)
                .toList();
        Optional<Result> best = others.stream().max(bar.isToWorst() ? best(bar).reversed() : best(bar));
        boolean isComparable = own.isVerified() && others.size() >= needed(bar);
        Estimate value =
                best.map(other -> ratio(bar, own, other, seed)).orElseGet(() -> Estimate.of(own, bar.figure(), seed));
        return new BarVerdict(
                own.experiment(),
                own.scenario().name(),
                bar,
                best.map(other -> other.contender().label()),
                value,
                isComparable && value.isKnown() ? state(bar, value) : BarState.UNKNOWN);
    }

    private static Estimate ratio(Bar bar, Result own, Result other, long seed) {
        return bar.isByInterval()
                ? Estimate.paired(own, other, bar.figure(), seed)
                : Estimate.ratio(own, other, bar.figure(), seed);
    }

    /** The worst of several parts is known only if every part was measured. */
    private static int needed(Bar bar) {
        return bar.isToWorst() ? bar.others().size() : Math.min(1, bar.others().size());
    }

    /** The largest median is the best, unless the limit is a maximum. */
    private static Comparator<Result> best(Bar bar) {
        Comparator<Result> largest = Comparator.comparingDouble(
                result -> Values.of(result, bar.figure()).median());
        boolean lessIsBetter = bar.limit().map(Bar.Limit::atMost).orElse(false);
        return lessIsBetter ? largest.reversed() : largest;
    }

    private static boolean isBeside(Result other, Result own) {
        return other.experiment().equals(own.experiment())
                && other.scenario().name().equals(own.scenario().name())
                && other.roundTrip().equals(own.roundTrip());
    }

    private static BarState state(Bar bar, Estimate value) {
        if (bar.isByInterval() && doubt(bar, value).isPresent()) {
            return BarState.UNKNOWN;
        }
        return bar.limit()
                .map(limit -> limit.holds(value.median()) ? BarState.HELD : BarState.MISSED)
                .orElse(BarState.SHOWN);
    }

    /** Why the figures do not decide about the limit for certain; empty if they do, or if a contender is missing. */
    public Optional<String> doubt() {
        boolean isMissing =
                !value.isKnown() || (against.isEmpty() && !bar.others().isEmpty());
        return isMissing ? Optional.empty() : doubt(bar, value);
    }

    /** Few rounds have a narrow interval by chance, so they decide nothing by their interval. */
    private static Optional<String> doubt(Bar bar, Estimate value) {
        if (bar.isByInterval() && !value.hasEnoughValues()) {
            return Optional.of("fewer than " + Estimate.MIN_COUNT + " rounds");
        }
        return bar.limit()
                .filter(limit -> limit.holds(value.low()) != limit.holds(value.high()))
                .map(limit -> "the interval contains the limit");
    }
}
