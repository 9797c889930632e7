// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Starts and ends the server processes of a cluster. */
final class ClusterServers {

    private ClusterServers() {}

    /**
     * Starts {@code count} servers at the same time. If one server does not start, this method ends all of them.
     *
     * @param nodeTimeout a server without an answer for this time counts as lost
     * @throws EmbeddedRedisException if a server does not start
     */
    static List<EmbeddedRedis> start(EmbeddedOptions options, int count, Duration nodeTimeout) {
        EmbeddedOptions ofNode = withClusterLines(options, nodeTimeout);
        List<Future<EmbeddedRedis>> starting;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            starting = IntStream.range(0, count)
                    .mapToObj(i -> threads.submit(() -> new ServerStarter(ofNode, false, ClusterPorts::free).start()))
                    .toList();
        }
        List<EmbeddedRedis> started = starting.stream()
                .filter(start -> start.state() == Future.State.SUCCESS)
                .map(Future::resultNow)
                .toList();
        if (started.size() < count) {
            close(started);
            throw failure(starting);
        }
        return started;
    }

    private static EmbeddedRedisException failure(List<Future<EmbeddedRedis>> starting) {
        Optional<Throwable> first = starting.stream()
                .filter(start -> start.state() == Future.State.FAILED)
                .map(Future::exceptionNow)
                .findFirst();
        return first.map(cause -> new EmbeddedRedisException(
                        "a server of the cluster did not start: " + cause.getMessage(), cause))
                .orElseGet(() -> new EmbeddedRedisException("the start of the servers of the cluster was interrupted"));
    }

    /**
     * The options of one server. The lines of the caller are last, because the last line with a name counts.
     *
     * <p>A primary delays the first copy for a replica by five seconds, if {@code repl-diskless-sync-delay} is not zero.
     * A large migration barrier keeps each replica at its primary.
     */
    private static EmbeddedOptions withClusterLines(EmbeddedOptions options, Duration nodeTimeout) {
        Stream<String> lines = Stream.of(
                "cluster-enabled yes",
                "cluster-node-timeout " + nodeTimeout.toMillis(),
                "cluster-announce-ip 127.0.0.1",
                "cluster-migration-barrier 1000000",
                "repl-diskless-sync-delay 0");
        Stream<String> login = options.password().map(secret -> "masterauth " + ServerConfig.quote(secret)).stream();
        return options.withConfig(Stream.of(lines, login, options.config().stream())
                .flatMap(part -> part)
                .toArray(String[]::new));
    }

    /** Ends all servers. If this fails for a server, the others end nevertheless. */
    static void close(List<EmbeddedRedis> servers) {
        List<RuntimeException> failures = new ArrayList<>();
        for (EmbeddedRedis server : servers.reversed()) {
            try {
                server.close();
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            RuntimeException first = failures.removeFirst();
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }
}
