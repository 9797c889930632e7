// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Libraries;
import io.millrace.lab.library.Way;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** One command after the other, and all of them in one pipeline; and what the first pipeline of a new process takes. */
public final class PipelinesAndCalls implements Experiment {

    private static final int OPERATIONS = 10_000;

    private final boolean glance;

    public PipelinesAndCalls() {
        this(false);
    }

    private PipelinesAndCalls(boolean glance) {
        this.glance = glance;
    }

    @Override
    public PipelinesAndCalls atAGlance() {
        return new PipelinesAndCalls(true);
    }

    @Override
    public String name() {
        return "e3";
    }

    @Override
    public String title() {
        return "Pipelines";
    }

    @Override
    public String description() {
        return "Strings, one hash, reads and draining of lists, command by command and in one pipeline;"
                + " and the first pipeline of a new process, cold and warmed up.";
    }

    @Override
    public long operations() {
        return OPERATIONS;
    }

    @Override
    public List<Workload> workloads() {
        return List.of(
                new InEveryWay(new Strings(), glance),
                new InEveryWay(new OneHash(), glance),
                new InEveryWay(new Reads(), glance),
                new InEveryWay(new Drains(), glance),
                new FirstPipeline(glance));
    }

    private record InEveryWay(Activity activity, boolean glance) implements Workload {

        @Override
        public String name() {
            return experiment() + "-" + activity.name();
        }

        @Override
        public String experiment() {
            return "e3";
        }

        @Override
        public String variant(Contender contender) {
            return activity.name() + "-" + contender.variant();
        }

        /** A round is short, and the JVM goes on compiling for longer, which nobody waits for at a glance. */
        @Override
        public int warmUps() {
            return glance ? 1 : 3;
        }

        @Override
        public int rounds(int asked) {
            return glance ? 1 : asked;
        }

        @Override
        public long operations(Size size) {
            return activity.operations(size.operations());
        }

        @Override
        public long operations(Size size, Contender contender, Duration distance) {
            return activity.operations(Workload.super.operations(size, contender, distance));
        }

        /** Those that wait first. */
        @Override
        public List<Contender> contenders() {
            var libraries = Libraries.ALL.stream()
                    .flatMap(library -> library.ways().stream()
                            .<Contender>map(way -> new Doing(library, way, activity, OPERATIONS, Optional.empty())))
                    .sorted(Comparator.comparing(doing -> !doing.waits()));
            return Stream.concat(libraries, activity.others().stream()).toList();
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
    }

    /** With a new JVM for every turn: at a glance of some libraries only. */
    private record FirstPipeline(boolean glance) implements Workload {

        private static final Set<String> AT_A_GLANCE = Set.of("jedis", "lettuce", "millrace");

        private static final Activity ACTIVITY = new Strings();

        @Override
        public String name() {
            return "e3-first";
        }

        @Override
        public String experiment() {
            return "e3";
        }

        @Override
        public String variant(Contender contender) {
            return "first-" + contender.variant();
        }

        @Override
        public long operations(Size size) {
            return size.operations();
        }

        /** None: it is the first use that is measured. */
        @Override
        public int warmUps() {
            return 0;
        }

        /** Each takes a new JVM: not even two where less than the usual is asked for. */
        @Override
        public int rounds(int asked) {
            return asked <= 2 ? 1 : asked;
        }

        @Override
        public List<Contender> contenders() {
            return Arrays.stream(Doing.FirstUse.values())
                    .flatMap(use -> Libraries.ALL.stream()
                            .filter(library -> !glance || AT_A_GLANCE.contains(library.name()))
                            .flatMap(library -> pipelines(library.ways())
                                    .<Contender>map(
                                            way -> new Doing(library, way, ACTIVITY, OPERATIONS, Optional.of(use)))))
                    .toList();
        }

        private static Stream<Way> pipelines(List<Way> ways) {
            return ways.stream().filter(way -> way.name().equals(Way.PIPELINE));
        }

        @Override
        public Check check() {
            return ACTIVITY.check();
        }
    }
}
