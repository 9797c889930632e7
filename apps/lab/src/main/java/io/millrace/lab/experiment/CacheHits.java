// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Texts that are all there are asked for, key after key, by callers that each wait for theirs.
 *
 * @param callers virtual threads, but for one, which is a thread of the operating system
 * @param glance whether rounds are short, and several callers are Millrace's only, and those of the loop written by hand
 */
record CacheHits(int callers, boolean glance) implements Workload {

    /** Of a round, lest it be over before its code is compiled. */
    private static final long FEWEST = 5_000;

    /** Over a distance a round is all waits; there are many. */
    private static final Duration LONGEST_FAR_ROUND = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "e5-hits-" + callers;
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "hits-" + callers + "-" + contender.variant();
    }

    /** A lone caller does a fifth. */
    @Override
    public long operations(Size size) {
        return Math.max(glance ? callers : FEWEST, callers == 1 ? size.operations() / 5 : size.operations());
    }

    @Override
    public long operations(Size size, Contender contender, Duration distance) {
        long all = Workload.super.operations(size, contender, distance);
        return distance.compareTo(FAR) <= 0
                ? all
                : Math.clamp(LONGEST_FAR_ROUND.dividedBy(distance) * callers, callers, Math.max(callers, all));
    }

    /** What is behind a call is so much code that a JVM compiles at it for some rounds. */
    @Override
    public int warmUps() {
        return glance ? 1 : 4;
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(Hitting.MEDIAN, Hitting.SLOW);
    }

    /** The bare {@code GET} first: it is what the others are compared with. */
    @Override
    public List<Contender> contenders() {
        return Stream.concat(Stream.of(Source.bare(), Source.near()), Source.firstOfEach().stream())
                .filter(source ->
                        !glance || callers == 1 || List.of("jedis", "millrace").contains(source.name()))
                .<Contender>map(source -> new Hitting(source, callers))
                .toList();
    }

    @Override
    public Check check() {
        return new ToldByContenders();
    }
}
