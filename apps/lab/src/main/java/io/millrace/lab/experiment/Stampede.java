// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * A thousand callers in each process ask for one text at the moment of its expiry: how often is it computed?
 *
 * @param processes 1 or 2
 * @param glance whether what takes long is left out, and in two processes all but a lease and the loop written by hand
 */
record Stampede(int processes, boolean glance) implements Workload {

    /** Those whose callers come to a lock one after the other: a thousand take many seconds. */
    private static final Set<String> SLOW = Set.of("cacheable-sync-locking", "map-cache-computing");

    private static final Set<String> AT_A_GLANCE_OF_TWO = Set.of("loop", "cache-lease");

    /** The size of a computation of 5 s is a million. */
    private static final int SIZE_PER_MILLI = 200;

    private static final long SHORTEST_MILLIS = 50;
    private static final long LONGEST_MILLIS = 5_000;

    @Override
    public String name() {
        return "e5-stampede-" + processes;
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "stampede-" + processes + "-" + contender.variant();
    }

    /** The milliseconds of a computation; how many callers there are, the contender tells. */
    @Override
    public long operations(Size size) {
        return Math.clamp(size.operations() / SIZE_PER_MILLI, SHORTEST_MILLIS, LONGEST_MILLIS);
    }

    /** The time of a text that expires, and then that of one computation. */
    @Override
    public OptionalDouble idealSeconds(Run run) {
        return OptionalDouble.of((Herd.LIFE.toMillis() + run.operations()) / 1e3);
    }

    /** What is compared is the number of computations. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    /** One, for the code and the connections; at a glance none. */
    @Override
    public int warmUps() {
        return glance ? 0 : 1;
    }

    /** Half of it is waits. */
    @Override
    public int rounds(int asked) {
        return asked <= 2 ? 1 : Math.min(asked, 3);
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(Stampeding.COMPUTATIONS, Stampeding.LAST);
    }

    @Override
    public List<Contender> contenders() {
        return Source.all().stream()
                .filter(source -> !glance || isShort(source.variant()))
                .<Contender>map(source -> new Stampeding(source, processes))
                .toList();
    }

    private boolean isShort(String variant) {
        return processes == 1 ? !SLOW.contains(variant) : AT_A_GLANCE_OF_TWO.contains(variant);
    }

    @Override
    public Check check() {
        return new ToldByContenders();
    }
}
