// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.network.Door.Loss;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Callers ask for texts that were there, when the server has just been lost to them: what do they get, and when?
 *
 * @param glance whether of each library there is only the way that has most for its callers, and none of Spring, which does what
 *     Jedis' way does
 */
record ServerLost(Loss loss, boolean glance) implements Workload {

    private static final String LEFT_OUT_AT_A_GLANCE = "spring";

    @Override
    public String name() {
        return "e5-lost-" + word();
    }

    private String word() {
        return loss.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "lost-" + word() + "-" + contender.variant();
    }

    @Override
    public long operations(Size size) {
        return WithoutServer.CALLERS;
    }

    /** What they get is not the same. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public int warmUps() {
        return 0;
    }

    /** It shows the same each time. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(WithoutServer.TEXTS, WithoutServer.MEDIAN, WithoutServer.LAST);
    }

    @Override
    public List<Contender> contenders() {
        var guarded = Source.guarded();
        var names = guarded.stream().map(Source::name).toList();
        var asTheyAre = Source.firstOfEach().stream().filter(source -> !glance || !names.contains(source.name()));
        return Stream.concat(guarded.stream(), asTheyAre)
                .filter(source -> !glance || !source.name().equals(LEFT_OUT_AT_A_GLANCE))
                .<Contender>map(source -> new WithoutServer(source, loss))
                .toList();
    }

    @Override
    public Check check() {
        return new ToldByContenders();
    }
}
