// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What a cache is for: the first call computes for seconds, the second finds what was computed.
 *
 * @param glance whether a computation is short, and of the peers only the loop written by hand is there
 */
record TwoCalls(boolean glance) implements Workload {

    /** The usual size is a computation of 5 s. */
    private static final int SIZE_PER_MILLI = 20;

    private static final long SHORTEST_MILLIS = 50;
    private static final long LONGEST_MILLIS = 5_000;

    @Override
    public String name() {
        return "e5-calls";
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "calls-" + contender.variant();
    }

    /** The milliseconds of a computation; that there is one call, the contender tells. */
    @Override
    public long operations(Size size) {
        return glance
                ? SHORTEST_MILLIS
                : Math.clamp(size.operations() / SIZE_PER_MILLI, SHORTEST_MILLIS, LONGEST_MILLIS);
    }

    /** Of the first call the computation; of the second nothing is known. */
    @Override
    public OptionalDouble idealSeconds(Run run) {
        return run.contender() instanceof Calling calling && !calling.second()
                ? OptionalDouble.of(run.operations() / 1e3)
                : OptionalDouble.empty();
    }

    @Override
    public int warmUps() {
        return 0;
    }

    /** It is nearly all wait, and shows the same each time. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    /** All first calls, then all second ones. */
    @Override
    public List<Contender> contenders() {
        return Stream.of(false, true)
                .flatMap(second -> Source.firstOfEach().stream()
                        .filter(source ->
                                !glance || List.of("jedis", "millrace").contains(source.name()))
                        .<Contender>map(source -> new Calling(source, second)))
                .toList();
    }

    @Override
    public Check check() {
        return new ToldByContenders();
    }
}
