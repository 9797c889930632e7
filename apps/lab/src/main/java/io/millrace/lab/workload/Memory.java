// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;

import io.millrace.client.Overflow;
import io.millrace.lab.contender.HeapRecording;
import io.millrace.lab.contender.MillraceFireAndForget;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Ten seconds of commands that nobody waits for, sent faster than the server takes them, from a heap of 128 MB. That the
 * process comes to its end with an account that adds up is the point, so once is enough.
 */
public final class Memory implements Workload {

    /** For the number of operations that is announced; how many there really were, the contender says. */
    private static final int EXPECTED_PER_SECOND = 400_000;

    private static final int WINDOW = 10_000;
    private static final int USUAL_SECONDS = 10;
    private static final long USUAL_OPERATIONS = 1_000_000;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public long operations(Size size) {
        return Math.max(1, size.operations() * USUAL_SECONDS * EXPECTED_PER_SECOND / USUAL_OPERATIONS);
    }

    @Override
    public int warmUps() {
        return 0;
    }

    @Override
    public int rounds(int asked) {
        return 1;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new MillraceFireAndForget(Overflow.BLOCK, WINDOW), //
                new MillraceFireAndForget(Overflow.REFUSE, WINDOW));
    }

    @Override
    public List<Bar> bars() {
        var block = "millrace/block-128m";
        var refuse = "millrace/refuse-128m";
        return List.of(
                heap(block),
                heap(refuse),
                Bar.shown("commands per second", block, Figure.own(MillraceFireAndForget.PER_SECOND)),
                Bar.shown("commands per second", refuse, Figure.own(MillraceFireAndForget.PER_SECOND)),
                Bar.absolute("refused", refuse, Figure.own(MillraceFireAndForget.REFUSED), atLeast(1)),
                Bar.shown("ns to refuse a command", refuse, Figure.own(MillraceFireAndForget.REFUSAL_NANOS)),
                Bar.shown(
                        "ns to refuse a command, 99 in 100",
                        refuse,
                        Figure.own(MillraceFireAndForget.REFUSAL_NANOS_99)));
    }

    /** A heap that is full would end the process; one that is half full after a collection is on its way there. */
    private static Bar heap(String contender) {
        return Bar.absolute(
                "heap in use after collections, at most, MiB", contender, Figure.own(HeapRecording.PEAK), atMost(64));
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        long millis = Math.max(100, operations * 1_000 / EXPECTED_PER_SECOND);
        return Inputs.of(Map.of(MillraceFireAndForget.MILLIS, Long.toString(millis)));
    }

    @Override
    public Check check() {
        return new RepeatedSets();
    }
}
