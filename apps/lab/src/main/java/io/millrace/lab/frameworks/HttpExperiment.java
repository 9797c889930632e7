// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.bitmap.BitmapExperiment;
import io.millrace.lab.bulk.ExternalPrograms;
import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.bulk.RowData;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.frameworks.HttpRequests.Route;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The server of Millrace over HTTP: cached values, with other servers for comparison, computations, bits, loads, and the start. */
public final class HttpExperiment {

    static final String NAME = "http";

    private static final int CONNECTIONS = 64;
    private static final long BITS = 10_000_000;
    private static final long MAX_BITS = 1_000_000_000;
    private static final long ROWS = 1_000_000;
    private static final int MEBIBYTE = 1 << 20;
    private static final int HEAP_MEBIBYTES = 256;

    /** The CPU time of a request falls for about 15 seconds of load, because the JVM compiles the code of the server. */
    private static final int WARM_UPS = 8;

    private static final Duration DISTANCE = Duration.ofMillis(1);

    /** As the launcher starts the server. */
    private static final List<String> JVM = List.of("-XX:+UseSerialGC", "-Xmx" + HEAP_MEBIBYTES + "m");

    private static final String GUIDE = "docs/server.md";
    private static final String SPRING_BOOT = "https://docs.spring.io/spring-boot/reference/";

    private static final String SERVER = "millrace/server";
    private static final String NEAR = "millrace/near";
    private static final String LIVENESS = "millrace/liveness";
    private static final String CONTROLLER = "spring/controller";
    private static final String SECURITY = "spring/security";
    private static final String POPULATIONS = "millrace/populations";
    private static final String SETBIT = "millrace/setbit";
    private static final String COMMAND = "millrace/process";
    private static final String CACHED = "millrace/start-up-cache";
    private static final String NOT_CACHED = "millrace/no-cache";

    private final Parameters parameters;

    private HttpExperiment(Parameters parameters) {
        this.parameters = parameters;
    }

    public static Experiment of(Parameters parameters) {
        var http = new HttpExperiment(parameters);
        return new Experiment(
                NAME,
                "The server",
                "What does the server cost over HTTP, beside a bare controller and an application with Spring Security and "
                        + "Spring Data Redis?",
                parameters.quick() ? http.quick() : http.all());
    }

    /** A run of {@code wrk} takes a second at least: a quick run shows only whether the server works. */
    private List<Scenario> quick() {
        return List.of(coldKey(), bits());
    }

    private List<Scenario> all() {
        return List.of(
                hits(), oneConnection(Duration.ZERO), oneConnection(DISTANCE), coldKey(), bits(), load(), start());
    }

    private RoundPlan plan(int forks, int warmUps, int rounds, Duration unit) {
        return parameters.quick()
                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(unit)
                : RoundPlan.ONE_UNIT
                        .withForks(forks)
                        .withWarmUps(warmUps)
                        .withRounds(rounds)
                        .withExpectedUnit(unit);
    }

    /** Whole seconds, because {@code wrk} takes only these. */
    private int seconds(int usual) {
        return (int) Math.max(1, parameters.duration().map(Duration::toSeconds).orElse((long) usual));
    }

    private Scenario hits() {
        int seconds = seconds(2);
        var values = new HttpRequests(Route.VALUE, CONNECTIONS, seconds);
        var nearValues = new HttpRequests(Route.NEAR_VALUE, CONNECTIONS, seconds);
        var liveness = new HttpRequests(Route.LIVENESS, CONNECTIONS, seconds);
        return Scenario.named("hits", "Values that are in the cache, " + CONNECTIONS + " connections")
                .unit("requests")
                .contender(server("server", "GET /value/{key}, without a token", values))
                .contender(controller(values).asReference())
                .contender(security(values))
                .contender(helidon(values).asReference())
                .contender(server("near", "GET /value/{key} with millrace.server.values.near-entries", nearValues)
                        .asReference())
                .contender(server("liveness", "GET /actuator/health/liveness", liveness)
                        .asReference())
                .plan(plan(2, WARM_UPS, 5, Duration.ofSeconds(seconds)))
                .server(HttpRequests.server())
                .figure("p50 µs", Figure.own(HttpRequests.P50))
                .figure("p99 µs", Figure.own(HttpRequests.P99))
                .bars(
                        Bar.ratio(
                                "CPU of a request, to the bare controller",
                                SERVER,
                                Figure.CLIENT_CPU_MICROS,
                                List.of(CONTROLLER),
                                atMost(1.3)),
                        perSecond("to the application with security", SERVER, SECURITY, 1.8),
                        perSecond("with the near cache, to liveness", NEAR, LIVENESS, 0.8))
                .build();
    }

    private static Bar perSecond(String name, String contender, String other, double limit) {
        return Bar.ratio("requests per second, " + name, contender, Figure.PER_SECOND, List.of(other), atLeast(limit));
    }

    /** The parts of a round run one after the other in one process, so that the three percentiles belong together. */
    private Scenario oneConnection(Duration distance) {
        int seconds = seconds(1);
        var description = new Description(
                "millrace",
                "server",
                "wrk --latency for GET /value/{key}, then for GET /actuator/health/liveness, then GET by Jedis from one "
                        + "thread; " + String.join(" ", JVM),
                GUIDE);
        var requests = new HttpRequests(Route.VALUE, 1, seconds);
        var contender = needingWrk(Framework.HTTP.contender(description, "OneConnection", requests, JVM));
        String suffix = distance.isZero() ? "" : "-1ms";
        return Scenario.named("one-connection" + suffix, "Values that are in the cache, one connection")
                .unit("requests")
                .contender(contender)
                .plan(plan(2, 1, 3, Duration.ofSeconds(3L * seconds)))
                .server(HttpRequests.server())
                .roundTrip(distance)
                .figure("p50 µs", Figure.own(HttpRequests.P50))
                .figure("p99 µs", Figure.own(HttpRequests.P99))
                .figure("liveness p50 µs", Figure.own(HttpRequests.LIVENESS_P50))
                .figure("GET p50 µs", Figure.own(HttpRequests.GET_P50))
                .notCompared()
                .bars(Bar.absolute(
                        "p50, to liveness and " + HttpRequests.ALLOWED_GETS + " GET",
                        contender.label(),
                        Figure.own(HttpRequests.P50_OF_ALLOWED),
                        atMost(1)))
                .build();
    }

    private Scenario coldKey() {
        var cold = new ColdKey(parameters.quick() ? 100 : 1_000, Duration.ofMillis(parameters.quick() ? 20 : 1_000));
        var description = new Description(
                "millrace",
                "server",
                "GET /value/{key} of a new key that takes " + cold.computation().toMillis()
                        + " ms to compute, at the same time on " + cold.requests()
                        + " connections that are open before; " + String.join(" ", JVM),
                GUIDE);
        return Scenario.named("cold-key", "Requests at the same time for one value that is not in the cache")
                .unit("requests")
                .contender(Framework.HTTP.contender(description, "ColdKeyRequests", cold, JVM))
                .plan(plan(1, 1, 5, cold.computation().plusMillis(parameters.quick() ? 20 : 100)))
                .server(ColdKey.server())
                .figure("computations", Figure.own(ColdKey.COMPUTATIONS))
                .notCompared()
                .bars(
                        Bar.absolute("seconds to the last answer", SERVER, Figure.UNIT_SECONDS, atMost(1.5)),
                        Bar.absolute("computations", SERVER, Figure.own(ColdKey.COMPUTATIONS), atMost(1)))
                .build();
    }

    /** A reply for each bit takes so long that fewer bits are set: the figure is the time of one bit. */
    private Scenario bits() {
        var experiment = new RandomExperiment(Math.min(parameters.size(BITS), MAX_BITS));
        var scenario = Scenario.named("bits", "Random bits, of which 10 of 1,000 are set")
                .unit("bits")
                .contender(bitContender("server", "POST /experiments/create", "CreatedExperiment", experiment))
                .plan(
                        parameters.quick()
                                ? plan(1, 0, 1, Duration.ofMillis(20))
                                : RoundPlan.USUAL.withForks(2).withRounds(3))
                .server(BitmapExperiment.randomBits(parameters, experiment.bits()))
                .comparedBy("nanoseconds of a bit", HttpExperiment::nanosOfBit, true);
        return parameters.quick()
                ? scenario.build()
                : besideTheLibrary(scenario, experiment).build();
    }

    private static Scenario.Builder besideTheLibrary(Scenario.Builder bits, RandomExperiment experiment) {
        var fewer = new RandomExperiment(Math.max(1, experiment.bits() / BitmapExperiment.FEWER_CALLS));
        return bits.contender(bitContender("populations", "Populations.store()", "StoredPopulation", experiment)
                        .asReference())
                .contender(bitContender(
                                "setbit",
                                "SETBIT by a BulkWriter without fusion; one bit of " + BitmapExperiment.FEWER_CALLS
                                        + " bits: compare the time of a bit",
                                "PipelinedBits",
                                fewer)
                        .asReference())
                .bars(bitTime("Populations.store", POPULATIONS, 2), bitTime("pipelined SETBIT", SETBIT, 0.05));
    }

    private static JvmContender bitContender(String mode, String note, String program, RandomExperiment experiment) {
        var description = new Description("millrace", mode, note + "; " + String.join(" ", JVM), GUIDE);
        return Framework.HTTP.contender(description, program, experiment, JVM);
    }

    private static Bar bitTime(String name, String other, double limit) {
        return Bar.ratio(
                "time of a bit, to " + name, SERVER, HttpExperiment::nanosOfBit, List.of(other), atMost(limit));
    }

    private static OptionalDouble nanosOfBit(Sample sample) {
        return OptionalDouble.of(sample.wallSeconds() * 1e9 / sample.operations());
    }

    private Scenario load() {
        var rows = new RowData(parameters.size(ROWS));
        var load = new ListenedLoad(rows, 100);
        var description = new Description(
                "millrace",
                "server",
                "POST /loads of a job with a CSV file; " + load.listeners()
                        + " event streams, of which one never reads, in the same process; " + String.join(" ", JVM),
                GUIDE);
        return Scenario.named("load", "A CSV file into hashes, by a request and by the command line")
                .unit("rows")
                .contender(Framework.HTTP.contender(description, "RequestedLoad", load, JVM))
                .contender(LoadsExperiment.csvCommand(rows).asReference())
                .plan(plan(2, 2, 2, Duration.ofMillis(3_500)))
                .server(rows.server())
                .figure("load s", Figure.own(LoadsExperiment.REPORTED_SECONDS))
                .notCompared()
                .bars(
                        Bar.ratio(
                                        "time, to the command line",
                                        SERVER,
                                        Figure.own(LoadsExperiment.REPORTED_SECONDS),
                                        List.of(COMMAND),
                                        atMost(1.05))
                                .byInterval(),
                        Bar.absolute("heap, MiB", SERVER, HttpExperiment::heap, atMost(HEAP_MEBIBYTES)))
                .build();
    }

    /**
     * The heap has this size: a server that needs more would end with an {@code OutOfMemoryError}, and the scenario would have
     * no result. So the bar can be held or unknown, but not missed.
     */
    private static OptionalDouble heap(Sample sample) {
        return sample.memory()
                .map(use -> OptionalDouble.of((double) use.heapPeakBytes() / MEBIBYTE))
                .orElse(OptionalDouble.empty());
    }

    private Scenario start() {
        Figure seconds = Figure.own(ServerStart.SECONDS);
        return Scenario.named("start", "The start of the server until the server is ready")
                .unit("starts")
                .contender(starting("start-up-cache", "./millrace serve with the cache of an earlier start", true))
                .contender(starting("no-cache", "MILLRACE_CACHE=none ./millrace serve", false)
                        .asReference())
                .plan(plan(1, 1, 5, Duration.ofMillis(2_500)))
                .server(ServerUse.checkedBy((server, sample) ->
                        server.keys() == 0 ? List.of() : List.of("keys: expected=0, found=" + server.keys())))
                .figure("start s", seconds)
                .notCompared()
                .bars(Bar.ratio(
                        "time, to a start without the cache", CACHED, seconds, List.of(NOT_CACHED), atMost(0.6)))
                .build();
    }

    private static JvmContender starting(String mode, String note, boolean isCached) {
        return new JvmContender(
                new Description("millrace", mode, note + ", with the launcher", GUIDE),
                new ServerStart(ExternalPrograms.launcher().orElse(Path.of("millrace")), isCached),
                List.of(),
                Framework.HTTP::missing);
    }

    private static JvmContender server(String mode, String note, HttpRequests requests) {
        return needingWrk(Framework.HTTP.contender(
                new Description("millrace", mode, note + "; " + String.join(" ", JVM), GUIDE),
                "MillraceRequests",
                requests,
                JVM));
    }

    private static JvmContender controller(HttpRequests requests) {
        var description = new Description(
                "spring",
                "controller",
                "a controller of Spring MVC that asks the same cache as the server; virtual threads, no limit of requests "
                        + "per connection; without actuator; " + String.join(" ", JVM),
                SPRING_BOOT + "web/servlet.html");
        return needingWrk(Framework.HTTP.contender(description, "ControllerRequests", requests, JVM));
    }

    private static JvmContender security(HttpRequests requests) {
        var description = new Description(
                "spring",
                "security",
                "a controller with @Cacheable and the cache manager of Spring Data Redis with the connection of Lettuce "
                        + "that Spring Boot makes; Spring Security without sessions, the route open to all; actuator; "
                        + "virtual threads, no limit of requests per connection; " + String.join(" ", JVM),
                "https://docs.spring.io/spring-data/redis/reference/redis/redis-cache.html");
        return needingWrk(
                Framework.HTTP.contender(description, "SecuredRequests", requests, JVM, List.of("lib-secured")));
    }

    private static JvmContender helidon(HttpRequests requests) {
        var description = new Description(
                "helidon",
                "se",
                "WebServer of Helidon SE with one route that asks the same cache as the server; "
                        + String.join(" ", JVM),
                "https://helidon.io/docs/latest/se/webserver/webserver");
        return needingWrk(Framework.HTTP.contender(description, "HelidonRequests", requests, JVM));
    }

    private static JvmContender needingWrk(JvmContender contender) {
        return new JvmContender(
                contender.description(),
                contender.work(),
                contender.jvmOptions(),
                target -> missing(contender, target),
                contender.classPath());
    }

    private static Optional<String> missing(JvmContender contender, Target target) {
        return contender
                .missing(target)
                .or(() ->
                        ExternalPrograms.missing("wrk", "wrk 4.1 (Debian: apt install wrk, macOS: brew install wrk)"));
    }
}
