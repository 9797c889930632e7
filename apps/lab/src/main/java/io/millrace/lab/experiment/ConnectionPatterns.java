// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.command.Fusion;
import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.contender.MillraceSmallProgram;
import io.millrace.lab.contender.RedisBenchmark;
import io.millrace.lab.library.ConnectionPool;
import io.millrace.lab.library.Libraries;
import io.millrace.lab.library.Way;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The same {@code SET}s by one connection, by pools of several sizes, and by pipelines. */
public final class ConnectionPatterns implements Experiment {

    private static final int BATCH = 200;

    @Override
    public String name() {
        return "e1";
    }

    @Override
    public String title() {
        return "Connection patterns";
    }

    @Override
    public String description() {
        return "The same SETs one by one, over pools of connections that are kept or returned, and in pipelines.";
    }

    @Override
    public long operations() {
        return 100_000;
    }

    @Override
    public List<Workload> workloads() {
        return List.of(new Setting());
    }

    private static final class Setting implements Workload {

        @Override
        public String name() {
            return "e1";
        }

        @Override
        public long operations(Size size) {
            return size.operations();
        }

        /** The seven patterns first, in their order; then what else each library offers. */
        @Override
        public List<Contender> contenders() {
            var contenders = new ArrayList<Contender>();
            ways(contenders, true);
            for (var pattern : PoolPattern.ALL) {
                for (var source : ConnectionPool.Source.all()) {
                    contenders.add(new PooledSetting(source, pattern));
                }
            }
            ways(contenders, false);
            contenders.add(new MillraceCallers(100));
            contenders.add(new MillraceBulk(Fusion.NONE));
            contenders.add(new MillraceBulk(Fusion.ALL_EXACT));
            contenders.add(new MillraceSmallProgram("bulk-writer-process", Keyspace.PREFIX));
            contenders.add(new CliPipe());
            contenders.add(new RedisBenchmark());
            return List.copyOf(contenders);
        }

        private static void ways(List<Contender> contenders, boolean oneByOne) {
            for (var library : Libraries.ALL) {
                library.ways().stream()
                        .filter(way -> way.name().equals(Way.ONE_BY_ONE) == oneByOne)
                        .forEach(
                                way -> contenders.add(new Doing(library, way, new Strings(), BATCH, Optional.empty())));
            }
        }

        @Override
        public Inputs prepare(Path folder, long operations) {
            return Pairs.commands(folder, operations);
        }

        @Override
        public Check check() {
            return new Pairs();
        }

        @Override
        public Check check(Contender contender) {
            return contender instanceof RedisBenchmark ? new RandomPairs() : check();
        }
    }
}
