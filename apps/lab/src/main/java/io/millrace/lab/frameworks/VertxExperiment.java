// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.bulk.RowData;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** {@code VertxRedis} beside the Redis client of Vert.x, on one event loop. */
public final class VertxExperiment {

    static final String NAME = "vertx";

    private static final long ROWS = 1_000_000;
    private static final Duration DISTANCE = Duration.ofMillis(1);
    private static final int MEBIBYTE = 1 << 20;
    private static final int HEAP_MEBIBYTES = 64;
    private static final String GUIDE = "https://vertx.io/docs/vertx-redis-client/java/";

    private static final String MILLRACE = "millrace/vertx";
    private static final String CONNECTION = "vertx/connection";
    private static final String POOL = "vertx/pool";

    /** In the first three seconds, the JIT compiler of each contender uses more CPU than the calls. */
    private static final RoundPlan PLAN = RoundPlan.USUAL.withWarmUps(3);

    private final Parameters parameters;

    private VertxExperiment(Parameters parameters) {
        this.parameters = parameters;
    }

    public static Experiment of(Parameters parameters) {
        var vertx = new VertxExperiment(parameters);
        var scenarios = new ArrayList<Scenario>();
        for (Duration distance : parameters.quick() ? List.of(Duration.ZERO) : List.of(Duration.ZERO, DISTANCE)) {
            scenarios.add(vertx.chains(64, distance, manyChains()));
            if (!parameters.quick()) {
                scenarios.add(vertx.chains(1, distance, p50()));
                scenarios.add(vertx.chains(512, distance, manyChains()));
            }
        }
        scenarios.add(vertx.sink());
        return new Experiment(
                NAME,
                "Event loops of Vert.x",
                "How fast does one event loop of Vert.x reach Redis through VertxRedis and through the client of Vert.x?",
                scenarios);
    }

    private static Bar[] p50() {
        return new Bar[] {
            Bar.ratio("p50", MILLRACE, Figure.own(Chains.P50), List.of(CONNECTION), atMost(1.25)),
        };
    }

    private static Bar[] manyChains() {
        return new Bar[] {
            toConnection("per second", Figure.PER_SECOND, atLeast(1.3)),
            Bar.ratio("per second, to the pool", MILLRACE, Figure.PER_SECOND, List.of(POOL), atLeast(5)),
            toConnection("p99", Figure.own(Chains.P99), atMost(0.7)),
        };
    }

    private static Bar toConnection(String name, Figure figure, Bar.Limit limit) {
        return Bar.ratio(name + ", to one connection", MILLRACE, figure, List.of(CONNECTION), limit);
    }

    private Scenario chains(int number, Duration distance, Bar... bars) {
        long commands = Math.max(1, parameters.size(distance.isZero() ? 20_000 : 2_000) / number);
        var chains = new Chains(number, number == 1 ? commands / 2 + 1 : commands);
        var contenders = new ArrayList<>(List.of(millrace(chains), connection(chains)));
        if (number > 1) {
            contenders.add(pool(chains.dividedBy(5)));
        }
        return Scenario.named(name(number, distance), title(number))
                .contenders(contenders)
                .plan(PLAN)
                .server(Chains.server())
                .roundTrip(distance)
                .figure("p50 µs", Figure.own(Chains.P50))
                .figure("p99 µs", Figure.own(Chains.P99))
                .bars(bars)
                .build();
    }

    private static String name(int number, Duration distance) {
        return number + (number == 1 ? "-chain" : "-chains") + (distance.isZero() ? "" : "-1ms");
    }

    private static String title(int number) {
        return "GET in " + number + (number == 1 ? " chain" : " chains") + " on one event loop";
    }

    private static JvmContender millrace(Chains chains) {
        var description = new Description(
                "millrace", "vertx", "VertxRedis.send(), overflow REFUSE, otherwise default options", "docs/vertx.md");
        return Framework.VERTX.contender(description, "MillraceChains", chains, List.of());
    }

    private static JvmContender connection(Chains chains) {
        var description = new Description(
                "vertx",
                "connection",
                "RedisConnection.send() on one connection that the event loop has opened; native transport on Linux",
                GUIDE);
        return Framework.VERTX.contender(description, "ConnectionChains", chains, List.of());
    }

    private static JvmContender pool(Chains chains) {
        var description = new Description(
                "vertx",
                "pool",
                "Redis.send(), maxPoolSize 6 (default), maxPoolWaiting " + chains.chains()
                        + ", so that no chain is refused; native transport on Linux; a fifth of the commands in one unit",
                GUIDE + "#_connection_pooling");
        return Framework.VERTX.contender(description, "PooledChains", chains, List.of());
    }

    /**
     * The heap is small: a stream without a limit would end with an {@code OutOfMemoryError}, and the scenario would have no
     * result. So the bar can be held or unknown, but not missed.
     */
    private Scenario sink() {
        var rows = new RowData(parameters.size(parameters.quick() ? ROWS / 5 : ROWS));
        var description = new Description(
                "millrace",
                "sink-" + HEAP_MEBIBYTES + "m",
                "VertxRedis.sink(), a row is written while the queue is not full; overflow REFUSE, otherwise default "
                        + "options, -Xmx" + HEAP_MEBIBYTES + "m",
                "docs/vertx.md");
        var contender = Framework.VERTX.contender(
                description, "SinkRows", rows, List.of("-Xmx" + HEAP_MEBIBYTES + "m", "-XX:+UseSerialGC"));
        var plan = RoundPlan.ONE_UNIT
                .withRounds(parameters.quick() ? 1 : 3)
                .withExpectedUnit(parameters.quick() ? Duration.ofMillis(500) : Duration.ofSeconds(4));
        return Scenario.named("sink", "Rows through a WriteStream into hashes, from a heap of 64 MB")
                .unit("rows")
                .contender(contender)
                .plan(plan)
                .server(rows.server())
                .bars(Bar.absolute("heap, MiB", contender.label(), VertxExperiment::heap, atMost(HEAP_MEBIBYTES)))
                .build();
    }

    private static OptionalDouble heap(Sample sample) {
        return sample.memory()
                .map(use -> OptionalDouble.of((double) use.heapPeakBytes() / MEBIBYTE))
                .orElse(OptionalDouble.empty());
    }
}
