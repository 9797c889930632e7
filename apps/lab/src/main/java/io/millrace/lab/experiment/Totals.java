// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Counters.Ending;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Second;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What became of commands so far. Counted by any thread; looked at by one. */
final class Totals {

    private final LongAdder issued = new LongAdder();
    private final Map<Ending, LongAdder> settled = new EnumMap<>(Ending.class); // never changed after the constructor
    private Snapshot last = new Snapshot(0, Outcomes.NONE); // belongs to the thread that looks

    Totals() {
        for (var ending : Ending.values()) {
            settled.put(ending, new LongAdder());
        }
    }

    private record Snapshot(long issued, Outcomes outcomes) {}

    void issue() {
        issued.increment();
    }

    void settle(Ending ending) {
        count(ending).increment();
    }

    private LongAdder count(Ending ending) {
        return Objects.requireNonNull(settled.get(ending));
    }

    /** Read before {@link #issued}, so that nothing is settled that was not issued. */
    Outcomes outcomes() {
        return new Outcomes(
                count(Ending.OK).sum(),
                count(Ending.ERROR).sum(),
                count(Ending.TIMED_OUT).sum(),
                count(Ending.REFUSED).sum(),
                count(Ending.LOST).sum());
    }

    long pending() {
        long ended = outcomes().settled();
        return issued.sum() - ended;
    }

    long issued() {
        return issued.sum();
    }

    /** What has happened since this was called before, as second number {@code second}. */
    Second since(int second) {
        var now = outcomes();
        var snapshot = new Snapshot(issued.sum(), now);
        var passed = new Second(
                second, snapshot.issued - last.issued, now.minus(last.outcomes), snapshot.issued - now.settled(), -1);
        last = snapshot;
        return passed;
    }
}
