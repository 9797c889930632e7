// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.network.LatencyProxy;
import io.millrace.lab.report.Findings.Delay;
import io.millrace.lab.report.Findings.Missing;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Durations;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Progress;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Route;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Runner;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.WarmProcesses;
import io.millrace.lab.run.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** One start of the lab: a server, the routes to it, and what has been found out so far. Used by one thread. */
final class Session implements AutoCloseable {

    private static final int PINGS = 400;

    private final RedisServer server;
    private final TemporaryFolder folder;
    private final Runner runner;
    private final Progress progress;
    private final List<LatencyProxy> proxies = new ArrayList<>();
    private final List<Route> routes = new ArrayList<>();
    private final List<Delay> delays = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();

    private Session(RedisServer server, TemporaryFolder folder, int rounds, Progress progress) {
        this.server = server;
        this.folder = folder;
        this.runner = new Runner(folder.path(), rounds, progress);
        this.progress = progress;
    }

    /** With a route for each of {@code roundTrips}, whose delay is measured and told. */
    static Session open(RedisServer server, List<Duration> roundTrips, int rounds, Progress progress)
            throws IOException {
        var session = new Session(server, TemporaryFolder.make(), rounds, progress);
        try {
            roundTrips.forEach(session::addRoute);
            return session;
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private void addRoute(Duration roundTrip) {
        var endpoint = server.endpoint();
        if (roundTrip.isZero()) {
            routes.add(new Route(endpoint, roundTrip, Link.distance(server, endpoint)));
            return;
        }
        progress.now("measuring a round trip of " + Durations.text(roundTrip));
        var proxy = LatencyProxy.start(endpoint.host(), endpoint.port(), roundTrip);
        proxies.add(proxy);
        var accuracy = proxy.accuracy(samples(roundTrip));
        delays.add(new Delay(roundTrip, accuracy.direct(), accuracy.added()));
        progress.line(String.format(
                Locale.ROOT,
                "the proxy adds %.3f ms to a round trip of %.3f ms; %s were asked for",
                accuracy.added().toNanos() / 1e6,
                accuracy.direct().toNanos() / 1e6,
                Durations.text(roundTrip)));
        var door = endpoint.through(proxy.host(), proxy.port());
        routes.add(new Route(door, roundTrip, Link.distance(server, door)));
    }

    /** As many as pass in a second or two, and never too few for a median. */
    private static int samples(Duration roundTrip) {
        return Math.clamp(Duration.ofSeconds(1).dividedBy(roundTrip), 10, PINGS);
    }

    /** Runs {@code experiment} over every route; what needs no server, once. */
    List<Run> run(Experiment experiment, Size size, Predicate<Contender> chosen) {
        var runs = new ArrayList<Run>();
        try (var processes = new WarmProcesses()) {
            for (var workload : experiment.workloads()) {
                var present = present(experiment, workload, chosen);
                for (var route : workload.needsServer() ? routes : List.of(Route.direct(server.endpoint()))) {
                    runs.addAll(runner.run(
                            workload,
                            size,
                            server,
                            route,
                            contender -> present.contains(contender.label()),
                            Map.of(),
                            processes));
                }
            }
        }
        return runs;
    }

    /** Labels: a workload may make its contenders anew each time that it is asked. */
    private Set<String> present(Experiment experiment, Workload workload, Predicate<Contender> chosen) {
        var present = new HashSet<String>();
        workload.contenders().stream()
                .filter(chosen)
                .forEach(contender -> contender
                        .missing(server.endpoint())
                        .ifPresentOrElse(
                                why -> noteMissing(experiment, contender, why), () -> present.add(contender.label())));
        return present;
    }

    private void noteMissing(Experiment experiment, Contender contender, String why) {
        var entry = new Missing(experiment.name(), contender.label(), why);
        missing.add(entry);
        progress.line(experiment.name() + ", " + contender.label() + ": MISSING: " + why);
    }

    RedisServer server() {
        return server;
    }

    Runner runner() {
        return runner;
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }

    List<Delay> delays() {
        return List.copyOf(delays);
    }

    List<Missing> missing() {
        return List.copyOf(missing);
    }

    Path folder() {
        return folder.path();
    }

    @Override
    public void close() {
        // One that cannot be closed must not keep the others: keys and files would be left.
        try (folder;
                server) {
            proxies.forEach(LatencyProxy::close);
        }
    }
}
