// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.bulk.RowData;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The starter for Spring Boot beside Spring Data Redis and Spring Batch: loads at start, caches, and the start itself. */
public final class SpringExperiment {

    static final String NAME = "spring";

    private static final long ROWS = 1_000_000;

    /** A writer that waits for each reply writes fewer rows, and still fewer over a distance. */
    private static final long ROWS_ONE_BY_ONE = 100_000;

    private static final long ROWS_ONE_BY_ONE_AT_A_DISTANCE = 10_000;

    /**
     * In the first four units, the JIT compiler uses 1.2 s, 0.5 s, 0.3 s and 0.25 s of CPU time for a load in an
     * application, and 1.1 s, 0.4 s, 0.1 s and 0.07 s for the loader alone, because the JVM of an application also compiles
     * the start of the application. Later both use at most 0.15 s. So the first counted round is a little slower than the
     * others, and the median is not.
     */
    private static final int WARM_UPS = 3;

    private static final Duration DISTANCE = Duration.ofMillis(1);
    private static final String HEAP = "-Xmx256m";
    private static final String DATA_REDIS = "https://docs.spring.io/spring-data/redis/reference/redis/";
    private static final String START = "seconds of CPU to start";

    private static final String JOB = "millrace/job";
    private static final String LOADER = "millrace/loader";
    private static final String JOB_SMALL = "millrace/job-small";
    private static final String PIPELINED = "spring/execute-pipelined";
    private static final String BATCH = "spring-batch/redis-item-writer";
    private static final String CACHE = "millrace/cacheable";
    private static final String DATA_REDIS_CACHE = "spring/cacheable";

    /** In the first three seconds, the JIT compiler of each contender uses more CPU than the calls. */
    private static final RoundPlan PLAN = RoundPlan.USUAL.withWarmUps(3);

    private final Parameters parameters;

    private SpringExperiment(Parameters parameters) {
        this.parameters = parameters;
    }

    public static Experiment of(Parameters parameters) {
        var spring = new SpringExperiment(parameters);
        return new Experiment(
                NAME,
                "Spring Boot",
                "What do a load at start, cached methods and the start itself cost with the starter, and with Spring Data "
                        + "Redis?",
                parameters.quick() ? spring.quick() : spring.all());
    }

    /** Few starts of applications and databases: a quick run shows only whether everything works. */
    private List<Scenario> quick() {
        return List.of(documents(Duration.ZERO), cached(64, Duration.ZERO));
    }

    private List<Scenario> all() {
        var scenarios = new ArrayList<Scenario>();
        for (Duration distance : List.of(Duration.ZERO, DISTANCE)) {
            scenarios.addAll(List.of(hashes(distance), documents(distance), cached(1, distance), cached(64, distance)));
        }
        scenarios.add(start());
        return scenarios;
    }

    private static String suffix(Duration distance) {
        return distance.isZero() ? "" : "-1ms";
    }

    private RowData rows(long usual) {
        return new RowData(parameters.size(parameters.quick() ? Math.ceilDiv(usual, 5) : usual));
    }

    private Scenario hashes(Duration distance) {
        var load = new TableLoad(rows(ROWS), false);
        return loads("hashes", "A table into hashes at the start of an application", distance)
                .contender(loader(load))
                .contender(job("job", load))
                .contender(pipelined(load, "hMSet() of the five values"))
                .server(ServerUse.checkedBy(load::complaints))
                .bars(toLoader(), toPipelined(0.5))
                .build();
    }

    private Scenario documents(Duration distance) {
        var load = new TableLoad(rows(ROWS), true);
        var small = new TableLoad(rows(distance.isZero() ? ROWS_ONE_BY_ONE : ROWS_ONE_BY_ONE_AT_A_DISTANCE), true);
        var scenario = loads("documents", "A table into JSON documents at the start of an application", distance)
                .contender(job("job", load))
                .server(ServerUse.checkedBy((server, sample) -> complaints(server, sample, load, small)));
        if (parameters.quick()) {
            return scenario.build();
        }
        return scenario.contender(loader(load))
                .contender(pipelined(load, "set() of a text that the program joins"))
                .contender(LoadsExperiment.springBatch(small.rows()))
                .contender(job("job-small", small).asReference())
                .bars(toLoader(), toPipelined(0.4), toBatch(distance.isZero() ? 1.0 / 15 : 1.0 / 100))
                .build();
    }

    /** Spring Batch, and the job beside Spring Batch, write fewer rows than the others. */
    private static List<String> complaints(RedisServer server, Sample sample, TableLoad load, TableLoad small) {
        boolean isSmall = sample.operations() == small.rows().rows() * sample.units();
        return (isSmall ? small : load).complaints(server, sample);
    }

    private static Bar toLoader() {
        return Bar.ratio("time, to the loader alone", JOB, TableLoad.LOAD_SECONDS, List.of(LOADER), atMost(1.05))
                .byInterval();
    }

    private static Bar toPipelined(double limit) {
        return Bar.ratio("time, to executePipelined", JOB, TableLoad.LOAD_SECONDS, List.of(PIPELINED), atMost(limit));
    }

    private static Bar toBatch(double limit) {
        return Bar.ratio("time, to Spring Batch", JOB_SMALL, TableLoad.LOAD_SECONDS, List.of(BATCH), atMost(limit));
    }

    private Scenario.Builder loads(String name, String title, Duration distance) {
        return Scenario.named(name + suffix(distance), title)
                .unit("rows")
                .roundTrip(distance)
                .plan(
                        parameters.quick()
                                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(Duration.ofSeconds(2))
                                : RoundPlan.ONE_UNIT
                                        .withForks(2)
                                        .withWarmUps(WARM_UPS)
                                        .withRounds(3)
                                        .withExpectedUnit(Duration.ofSeconds(5)))
                .figure("load s", TableLoad.LOAD_SECONDS)
                .comparedBy("milliseconds of 1,000 rows", TableLoad.THOUSAND_ROWS_MILLIS, true);
    }

    /** A quick run shares the JVM of the caches. */
    private List<String> heap() {
        return parameters.quick() ? List.of() : List.of(HEAP);
    }

    /** The loader without an application. */
    private JvmContender loader(TableLoad load) {
        return LoadsExperiment.tableLoader(load.rows(), load.isDocuments(), HEAP)
                .asReference();
    }

    private JvmContender job(String mode, TableLoad load) {
        var description = new Description(
                "millrace",
                mode,
                "millrace.load.jobs.*, before-ready, default options, " + HEAP
                        + "; the time is that of the runners of the application",
                "docs/spring.md");
        return Framework.SPRING.contender(description, "JobLoad", load, heap());
    }

    private JvmContender pipelined(TableLoad load, String call) {
        var description = new Description(
                "spring",
                "execute-pipelined",
                "an ApplicationRunner with JdbcTemplate, fetch size 1,000, no auto-commit; StringRedisTemplate."
                        + "executePipelined() for 1,000 rows, " + call + "; Lettuce with a pool, flushOnClose; " + HEAP
                        + "; the time is that of the runners of the application",
                DATA_REDIS + "pipelining.html");
        return Framework.SPRING.contender(description, "PipelinedLoad", load, heap());
    }

    private Scenario cached(int callers, Duration distance) {
        long calls = parameters.size(distance.isZero() ? 20_000 : 2_000L * Math.min(callers, 4)) / callers;
        var cached = new CachedCalls(callers, Math.max(1, calls));
        var bar = callers == 1
                ? Bar.ratio("time of a hit", CACHE, SpringExperiment::hitMicros, List.of(DATA_REDIS_CACHE), atMost(1.1))
                : Bar.ratio("hits per second", CACHE, Figure.PER_SECOND, List.of(DATA_REDIS_CACHE), atLeast(1.8));
        String name = callers == 1 ? "1 caller" : callers + " callers";
        return Scenario.named("cache-" + name.replace(' ', '-') + suffix(distance), "@Cacheable hits by " + name)
                .unit("hits")
                .contender(Framework.SPRING.contender(
                        new Description(
                                "millrace",
                                "cacheable",
                                "MillraceCacheManager, default options, no near cache; values as JSON",
                                "docs/spring.md"),
                        "MillraceCacheable",
                        cached,
                        List.of()))
                .contender(Framework.SPRING.contender(
                        new Description(
                                "spring",
                                "cacheable",
                                "RedisCacheManager of Spring Data Redis, with the connection of Lettuce that Spring Boot "
                                        + "makes; JacksonJsonRedisSerializer for the type of the values",
                                DATA_REDIS + "redis-cache.html"),
                        "DataRedisCacheable",
                        cached,
                        List.of()))
                .plan(PLAN)
                .server(CachedCalls.server())
                .roundTrip(distance)
                .bars(bar)
                .build();
    }

    private static OptionalDouble hitMicros(Sample sample) {
        return OptionalDouble.of(sample.wallSeconds() * 1e6 / sample.operations());
    }

    private Scenario start() {
        Figure cpu = sample ->
                sample.client().isExact() ? OptionalDouble.of(sample.client().seconds()) : OptionalDouble.empty();
        return Scenario.named("start", "The start and the end of an empty application")
                .unit("starts")
                .contender(starting("millrace", "start-millrace", "MILLRACE_REDIS_URL", "millrace-spring-boot-starter"))
                .contender(starting(
                        "spring", "start-data-redis", "SPRING_DATA_REDIS_URL", "spring-boot-starter-data-redis"))
                .plan(RoundPlan.ONE_UNIT.withWarmUps(1).withRounds(9).withExpectedUnit(Duration.ofMillis(2_500)))
                .server(ServerUse.checkedBy((server, sample) ->
                        server.keys() == 0 ? List.of() : List.of("keys: expected=0, found=" + server.keys())))
                .comparedBy(START, cpu, true)
                .bars(Bar.ratio(START, "millrace/starter", cpu, List.of("spring/starter"), atMost(1)))
                .build();
    }

    private static Contender starting(String library, String folder, String variable, String starter) {
        var program = new StartProgram(
                Framework.SPRING.jars().resolve("millrace-lab-spring.jar"), Framework.SPRING.folder(folder), variable);
        var description = new Description(
                library,
                "starter",
                "java -cp with the jars of spring-boot-starter and " + starter + ", no options of the JVM",
                "https://docs.spring.io/spring-boot/reference/using/build-systems.html#using.build-systems.starters");
        return new ProcessContender(description, program, SpringExperiment::missing);
    }

    private static Optional<String> missing(Target target) {
        return Framework.SPRING.missing(target);
    }
}
