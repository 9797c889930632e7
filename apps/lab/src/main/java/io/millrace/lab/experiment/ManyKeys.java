// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.stream.Stream;

/** A thousand texts, all of which are there, over and over: in one call for all, and by Spring, which has none, in as many calls. */
record ManyKeys() implements Workload {

    private static final int PART_OF_SIZE = 5;

    @Override
    public String name() {
        return "e5-multiget";
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "multiget-" + contender.variant();
    }

    /** As many as for hits, and for the same reason. */
    @Override
    public int warmUps() {
        return 4;
    }

    @Override
    public long operations(Size size) {
        return Math.max(AskingForMany.KEYS, size.operations() / PART_OF_SIZE);
    }

    /** The calls in turn first: they are what the others are compared with. */
    @Override
    public List<Contender> contenders() {
        var sources = Source.firstOfEach();
        var inTurn = sources.stream()
                .filter(source -> source.name().equals("spring"))
                .<Contender>map(source -> new AskingForMany(source, false));
        return Stream.concat(inTurn, sources.stream().map(source -> new AskingForMany(source, true)))
                .toList();
    }

    @Override
    public Check check() {
        return new ToldByContenders();
    }
}
