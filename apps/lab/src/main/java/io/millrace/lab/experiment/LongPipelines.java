// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static io.millrace.lab.run.Bar.Bound.atLeast;

import io.millrace.lab.library.Libraries;
import io.millrace.lab.library.Way;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pipelines of experiment {@code e3} by Jedis and Millrace alone, with bars. In a round, many pipelines of the
 * same length run one after the other.
 *
 * @param share factor for the requested number of operations
 * @param first whether each round is the first use of a new JVM
 */
public record LongPipelines(String name, Activity activity, int length, int share, boolean first, List<Bar> bars)
        implements Workload {

    private static final String PER_SECOND = "per second";
    private static final int LENGTH = 10_000;
    private static final int SHORT_LENGTH = 1_000;

    public LongPipelines {
        bars = List.copyOf(bars);
    }

    /** Pipelines of 1,000 {@code SET} commands, whose results are read. */
    public static LongPipelines ofSets() {
        return new LongPipelines(
                "pipeline-" + SHORT_LENGTH + "-sets",
                new Repeated(new Strings(), LENGTH),
                SHORT_LENGTH,
                3,
                false,
                List.of(fused(1.4), unfused()));
    }

    public static LongPipelines ofStrings() {
        return ofMany(new Repeated(new Strings(), LENGTH), 1.5);
    }

    public static LongPipelines ofHash() {
        return ofMany(new Repeated(new OneHash(), LENGTH), 1.6);
    }

    public static LongPipelines ofReads() {
        return ofMany(new Repeated(new Reads(), LENGTH), 1.5);
    }

    public static LongPipelines ofDrains() {
        return ofMany(new Repeated(new Drains(), LENGTH), 2.5);
    }

    private static LongPipelines ofMany(Activity activity, double fused) {
        return new LongPipelines(
                "pipeline-" + LENGTH + "-" + activity.name(),
                activity,
                LENGTH,
                2,
                false,
                List.of(fused(fused), unfused()));
    }

    /** A pipeline of 10,000 commands: once directly after the start of a JVM, and once after 20 other pipelines. */
    public static LongPipelines ofFirst() {
        return new LongPipelines(
                "pipeline-first",
                new Strings(),
                LENGTH,
                1,
                true,
                List.of(first("cold", "-fused"), first("cold", ""), first("warmed", "-fused"), first("warmed", "")));
    }

    private static Bar first(String use, String fusion) {
        return Bar.ratio(PER_SECOND, "millrace/" + use + fusion, "jedis/" + use, Figure.PER_SECOND, atLeast(1));
    }

    private static Bar fused(double limit) {
        return Bar.ratio(
                PER_SECOND,
                "millrace/" + Way.PIPELINE_FUSED,
                "jedis/" + Way.PIPELINE,
                Figure.PER_SECOND,
                atLeast(limit));
    }

    private static Bar unfused() {
        return Bar.ratio(
                PER_SECOND, "millrace/" + Way.PIPELINE, "jedis/" + Way.PIPELINE, Figure.PER_SECOND, atLeast(1));
    }

    /** The first pipeline of a JVM has the same length for every size. */
    @Override
    public long operations(Size size) {
        return first ? Math.min(LENGTH, size.operations()) : activity.operations(size.operations() * share);
    }

    /** No warm-up if the first use is measured. Otherwise three rounds, because the JVM compiles during these rounds. */
    @Override
    public int warmUps() {
        return first ? 0 : 3;
    }

    @Override
    public List<Contender> contenders() {
        return Libraries.ALL.stream()
                .filter(library ->
                        library.name().equals("jedis") || library.name().equals("millrace"))
                .flatMap(library -> library.ways().stream()
                        .filter(LongPipelines::isPipeline)
                        .flatMap(way -> uses().map(use -> new Doing(library, way, activity, length, use))))
                .<Contender>map(doing -> doing)
                .toList();
    }

    private static boolean isPipeline(Way way) {
        return way.name().equals(Way.PIPELINE) || way.name().equals(Way.PIPELINE_FUSED);
    }

    private Stream<Optional<Doing.FirstUse>> uses() {
        return first ? Arrays.stream(Doing.FirstUse.values()).map(Optional::of) : Stream.of(Optional.empty());
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return activity.prepare(folder, operations);
    }

    @Override
    public void fill(RedisServer server, long operations) {
        activity.fill(server, operations);
    }

    @Override
    public Check check() {
        return activity.check();
    }

    @Override
    public Check check(Contender contender) {
        boolean fused = contender.variant().endsWith(Way.PIPELINE_FUSED);
        return activity instanceof Repeated repeated ? repeated.check(fused) : activity.check();
    }
}
