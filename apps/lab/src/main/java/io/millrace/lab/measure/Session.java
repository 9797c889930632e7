// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.network.LatencyProxy;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One start of the lab: the server, the proxies before the server, and the results so far. Used by one thread.
 *
 * <p>A session closes the server. A user who ends the JVM must wait until the session is closed: open an {@link
 * Interruption} before the session.
 */
public final class Session implements AutoCloseable {

    /** Expected duration of the start of a worker, with the classes of its library, and of the end. */
    private static final Duration PROCESS_START = Duration.ofMillis(1_500);

    /** Expected duration of what surrounds one round: an empty server, the fill, the checks. */
    private static final Duration ROUND_OVERHEAD = Duration.ofMillis(50);

    private final SessionServers servers;
    private final Options options;
    private final ProgressLine progress;
    private final TemporaryFolder folder = TemporaryFolder.create();
    private final WorkerPool workers;
    private final RoundRunner runner;
    private final List<LatencyProxy> proxies = new ArrayList<>();
    private final Map<Duration, Distance> distances = new LinkedHashMap<>();
    private final Map<Duration, Duration> added = new LinkedHashMap<>();
    private final List<Result> results = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();
    private boolean interrupted;

    /**
     * How a session runs experiments.
     *
     * @param parameters the same with which the experiments are built
     * @param roundTrips for each, all experiments with Redis run once; zero means without a proxy. If empty, each
     *     scenario runs with its own round trip
     * @param chosen contenders that take part
     * @param plan changes the plan of each scenario, such as the number of rounds
     * @param workerMain main class of worker JVMs, which calls {@link WorkerJvm#serve}
     * @param jars added to the class path of workers, such as a client of the user
     */
    public record Options(
            Parameters parameters,
            List<Duration> roundTrips,
            Predicate<Contender> chosen,
            UnaryOperator<RoundPlan> plan,
            Class<?> workerMain,
            List<Path> jars) {

        public Options {
            roundTrips = roundTrips.stream().distinct().toList();
            jars = List.copyOf(jars);
        }

        /** All contenders, without a proxy, with the plans of the scenarios. */
        public static Options of(Parameters parameters, Class<?> workerMain) {
            return new Options(parameters, List.of(), contender -> true, plan -> plan, workerMain, List.of());
        }

        public Options withRoundTrips(List<Duration> newRoundTrips) {
            return new Options(parameters, newRoundTrips, chosen, plan, workerMain, jars);
        }

        public Options withChosen(Predicate<Contender> newChosen) {
            return new Options(parameters, roundTrips, newChosen, plan, workerMain, jars);
        }

        public Options withPlan(UnaryOperator<RoundPlan> newPlan) {
            return new Options(parameters, roundTrips, chosen, newPlan, workerMain, jars);
        }

        public Options withJars(List<Path> newJars) {
            return new Options(parameters, roundTrips, chosen, plan, workerMain, newJars);
        }
    }

    private Session(RedisServer server, Options options, ProgressLine progress) {
        this.servers = new SessionServers(server);
        this.options = options;
        this.progress = progress;
        // A quick run shares workers, because most of its time would be the start of JVMs.
        this.workers = new WorkerPool(
                options.workerMain(), options.jars(), options.parameters().quick());
        this.runner = new RoundRunner(servers, options.parameters(), workers, folder.path(), progress);
    }

    /**
     * Starts and calibrates a proxy for each distance.
     *
     * @param server closed with the session, or if the session cannot be opened
     */
    public static Session open(RedisServer server, Options options, ProgressLine progress) {
        var session = new Session(server, options, progress);
        try {
            options.roundTrips().forEach(session::distance);
            return session;
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** The distance that adds {@code roundTrip}. The first call for a round trip starts and calibrates a proxy. */
    private Distance distance(Duration roundTrip) {
        return distances.computeIfAbsent(roundTrip, this::newDistance);
    }

    private Distance newDistance(Duration roundTrip) {
        Target direct = servers.named().target();
        var distance = new Distance(direct, roundTrip);
        if (roundTrip.isZero()) {
            return distance;
        }
        if (!canHaveProxy()) {
            throw new LabException("a proxy cannot add a round trip to a Unix socket or to a cluster: target=" + direct
                    + ". Omit --rtt, or name one server with host and port.");
        }
        progress.now("calibrating the proxy" + distance.text());
        LatencyProxy proxy = LatencyProxy.start(direct.host(), direct.port(), roundTrip);
        proxies.add(proxy);
        added.put(roundTrip, proxy.added());
        progress.line(String.format(
                Locale.ROOT,
                "the proxy%s adds %.3f ms to a round trip",
                distance.text(),
                proxy.added().toNanos() / 1e6));
        return new Distance(direct.at(proxy.host(), proxy.port()), roundTrip);
    }

    private boolean canHaveProxy() {
        Target named = servers.named().target();
        return named.socket().isEmpty() && !named.cluster();
    }

    /** Runs all scenarios over each distance; a scenario without Redis once. Returns the results of this experiment. */
    public List<Result> run(Experiment experiment) {
        int before = results.size();
        experiment.scenarios().forEach(scenario -> workers.prepare(present(scenario)));
        for (Scenario scenario : experiment.scenarios()) {
            noteMissing(experiment, scenario);
            for (Duration roundTrip : roundTrips(scenario)) {
                try {
                    results.addAll(
                            runner.run(experiment, scenario, plan(scenario), present(scenario), distance(roundTrip)));
                } catch (LabInterrupted e) {
                    interrupted = true;
                    throw e;
                }
            }
        }
        return List.copyOf(results.subList(before, results.size()));
    }

    private RoundPlan plan(Scenario scenario) {
        return options.plan().apply(options.parameters().shortened(scenario.plan()));
    }

    private List<Duration> roundTrips(Scenario scenario) {
        if (!scenario.server().isNeeded() || servers.needsOwnCluster(scenario.server())) {
            return List.of(Duration.ZERO);
        }
        if (!options.roundTrips().isEmpty()) {
            return options.roundTrips();
        }
        // A distant server has a round trip already.
        return List.of(servers.named().isOnThisMachine() && canHaveProxy() ? scenario.roundTrip() : Duration.ZERO);
    }

    private List<Contender> present(Scenario scenario) {
        return scenario.contenders().stream()
                .filter(options.chosen())
                .filter(contender -> missing(scenario, contender).isEmpty())
                .toList();
    }

    private Optional<String> missing(Scenario scenario, Contender contender) {
        ServerUse use = scenario.server(contender);
        return use.disturbance().isPresent() && !servers.needsOwnCluster(use)
                ? Optional.of("the lab disturbs only a cluster that the lab has started. Name no cluster.")
                : contender.missing(servers.kindOf(use));
    }

    private void noteMissing(Experiment experiment, Scenario scenario) {
        scenario.contenders().stream()
                .filter(options.chosen())
                .forEach(contender -> missing(scenario, contender).ifPresent(why -> {
                    missing.add(new Missing(experiment.name(), scenario.name(), contender.label(), why));
                    progress.line(
                            experiment.name() + " " + scenario.name() + ", " + contender.label() + ": MISSING: " + why);
                }));
    }

    /** Expected duration of {@link #run} for all {@code experiments}. */
    public Duration expected(List<Experiment> experiments) {
        List<Scenario> scenarios = experiments.stream()
                .flatMap(experiment -> experiment.scenarios().stream())
                .toList();
        List<Contender> contenders = scenarios.stream()
                .flatMap(scenario -> present(scenario).stream())
                .toList();
        return scenarios.stream()
                .map(this::expected)
                .reduce(PROCESS_START.multipliedBy(workers.sharedBy(contenders)), Duration::plus);
    }

    private Duration expected(Scenario scenario) {
        RoundPlan plan = plan(scenario);
        long rounds = (long) plan.forks() * (plan.warmUps() + plan.rounds());
        int starts = options.parameters().quick() ? 0 : plan.forks();
        return present(scenario).stream()
                .map(contender -> plan.expected()
                        .plus(ROUND_OVERHEAD.multipliedBy(rounds))
                        .plus(PROCESS_START.multipliedBy(contender instanceof JvmContender ? starts : 0)))
                .reduce(Duration.ZERO, Duration::plus)
                .multipliedBy(roundTrips(scenario).size());
    }

    /** The server that the user has named, or the one that the lab has started in its place. */
    public RedisServer server() {
        return servers.named();
    }

    /** The results so far, in the order of the runs. */
    public List<Result> results() {
        return List.copyOf(results);
    }

    /** Contenders that could not take part so far. */
    public List<Missing> missing() {
        return List.copyOf(missing);
    }

    /** For each asked round trip, the round trip that the proxy really adds. */
    public Map<Duration, Duration> addedRoundTrips() {
        return Map.copyOf(added);
    }

    /** Ends the workers and proxies, removes the keys of the lab and all temporary files, and closes the server. */
    @Override
    public void close() {
        progress.now("");
        try (folder;
                servers;
                workers) {
            proxies.forEach(LatencyProxy::close);
        }
        if (interrupted) { // This message is here, because the JVM may end when the caller closes its Interruption.
            progress.line("the lab was interrupted; its processes have ended, its keys have been removed");
        }
    }
}
