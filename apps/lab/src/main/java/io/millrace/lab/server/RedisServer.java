// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedRedisException;
import io.millrace.lab.client.Target;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The server that contenders work with: its keys and its statistics.
 *
 * <p>The lab has its own connections, by Jedis. So the check of a contender's data does not use the contender's
 * code. Used by one thread.
 */
public final class RedisServer implements AutoCloseable {

    /**
     * Time between two looks for late keys. The server executes received commands between two commands of another
     * connection, so this time is long enough.
     */
    private static final Duration SETTLE_STEP = Duration.ofMillis(100);

    private static final int CLUSTER_PRIMARIES = 3;

    private static final Duration SETTLE_LIMIT = Duration.ofSeconds(10);

    private final Target target;
    private final Keyspace keyspace;
    private final Runnable end;
    private final ServerNodes nodes;
    private final Optional<EmbeddedCluster> cluster;

    /** Statistics at the time of the last {@link #reset}, by command. */
    private Map<String, CommandStatistics> earlier = Map.of();

    private boolean expectsRedirects;

    private RedisServer(
            Target target, Keyspace keyspace, Runnable end, ServerNodes nodes, Optional<EmbeddedCluster> cluster) {
        this.target = target;
        this.keyspace = keyspace;
        this.end = end;
        this.nodes = nodes;
        this.cluster = cluster;
    }

    /**
     * Starts a server on a free port of loopback, without persistence: {@code redis-server} of the PATH, otherwise the
     * server in the jar. The server ends with {@link #close} or with this JVM.
     */
    public static RedisServer start() {
        try {
            EmbeddedRedis redis = EmbeddedRedis.start();
            return at(Target.of(redis.host(), redis.port()), Keyspace.WHOLE, redis::close);
        } catch (EmbeddedRedisException e) {
            throw new LabException(
                    "no server could be started: cause=" + e.getMessage() + " Or name a server with --uri.", e);
        }
    }

    /**
     * Starts a cluster of three primaries without replicas on free ports of loopback, without persistence. The servers
     * end with {@link #close} or with this JVM.
     */
    public static RedisServer startCluster() {
        try {
            EmbeddedCluster cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), CLUSTER_PRIMARIES, 0);
            EmbeddedRedis first = cluster.nodes().getFirst();
            Target target = Target.of(first.host(), first.port()).asCluster();
            return at(target, Keyspace.WHOLE, cluster::close, Optional.of(cluster));
        } catch (EmbeddedRedisException e) {
            throw new LabException(
                    "no cluster could be started: cause=" + e.getMessage()
                            + " Or name a cluster with --uri redis-cluster://HOST:PORT.",
                    e);
        }
    }

    /**
     * Uses a server that is running already.
     *
     * @param keyspace which keys the lab may use
     * @param end run when the server is no longer needed, or cannot be used
     * @throws LabException if the server cannot be reached, or holds keys that exclude the lab
     */
    public static RedisServer at(Target target, Keyspace keyspace, Runnable end) {
        return at(target, keyspace, end, Optional.empty());
    }

    private static RedisServer at(Target target, Keyspace keyspace, Runnable end, Optional<EmbeddedCluster> cluster) {
        try {
            var server = new RedisServer(target, keyspace, end, ServerNodes.connect(target), cluster);
            try {
                server.claim();
                return server;
            } catch (RuntimeException e) {
                server.nodes.close();
                throw e;
            }
        } catch (JedisException e) {
            end.run();
            throw new LabException(
                    "the server cannot be used: target=" + target + ", cause=" + e.getMessage()
                            + ". Check address, user, password and certificate.",
                    e);
        } catch (LabException e) {
            end.run();
            throw e;
        }
    }

    private void claim() {
        boolean isCluster =
                info(control(), "cluster").getOrDefault("cluster_enabled", "0").equals("1");
        if (isCluster && !target.cluster()) {
            throw new LabException("the server is a node of a cluster: target=" + target
                    + ". Use --cluster, or name a server that stands alone.");
        }
        nodes.all().forEach(node -> keyspace.claim(node, target.database()));
    }

    /** How clients reach the server without a proxy. */
    public Target target() {
        return target;
    }

    /** The cluster that the lab has started; empty for another server. Any thread may use the cluster. */
    public Optional<EmbeddedCluster> cluster() {
        return cluster;
    }

    /** Whether the server uses the processors of this machine. */
    public boolean isOnThisMachine() {
        try {
            return target.socket().isPresent()
                    || InetAddress.getByName(target.host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The connection of the lab. In a cluster, the connection to one node: use {@link #control(String)} for keys. */
    public Jedis control() {
        return nodes.first();
    }

    /** The connection of the lab to the node that holds {@code key}. */
    public Jedis control(String key) {
        return nodes.of(key);
    }

    /** The connection of the lab to the node that holds {@code key}. */
    public Jedis control(byte[] key) {
        return nodes.of(new String(key, StandardCharsets.UTF_8));
    }

    /** A command with one key, which a pipeline sends. */
    @FunctionalInterface
    public interface KeyCommand<V> {
        Response<V> addTo(Pipeline pipeline, String key);
    }

    /**
     * Sends {@code command} for each key, in a pipeline for each node. In a cluster, the keys may be on all nodes.
     *
     * @return the replies in the order of the keys
     */
    public <V> List<@Nullable V> forEach(Collection<String> keys, KeyCommand<V> command) {
        IdentityHashMap<Jedis, Pipeline> pipelines = new IdentityHashMap<>();
        List<Response<V>> replies = keys.stream()
                .map(key -> command.addTo(pipelines.computeIfAbsent(nodes.of(key), Jedis::pipelined), key))
                .toList();
        pipelines.values().forEach(Pipeline::close);
        List<@Nullable V> values = new ArrayList<>();
        replies.forEach(reply -> values.add(reply.get()));
        return values;
    }

    /** The values of {@code keys} in their order; null for a missing key. In a cluster, the keys may be on all nodes. */
    public List<@Nullable String> values(List<String> keys) {
        return forEach(keys, Pipeline::get);
    }

    /** Opens another connection, for another thread. In a cluster, to one node. The caller closes the connection. */
    public Jedis connect() {
        return ServerNodes.open(target);
    }

    /** Opens a connection through a proxy at the address of {@code proxy}. The caller closes the connection. */
    public Jedis connect(Target proxy) {
        return ServerNodes.open(target.at(proxy.host(), proxy.port()));
    }

    /** Removes the keys of the lab. {@link #statistics} counts from here. */
    public void reset() {
        nodes.all().forEach(keyspace::removeAll);
        earlier = commandStatistics();
        expectsRedirects = false;
    }

    /**
     * From now on until the next {@link #reset}, {@link #statistics} counts no rejected commands. A node counts a command
     * as rejected if its hash slot has moved to another node.
     */
    public void expectRedirects() {
        expectsRedirects = true;
    }

    /**
     * Removes the keys of the lab until no more keys appear, for ten seconds at most. The server may still receive
     * megabytes of commands from the sockets of a client that has ended or no longer waits.
     */
    public void settle() {
        long start = System.nanoTime();
        do {
            nodes.all().forEach(keyspace::removeAll);
            pause();
        } while (keys() > 0 && System.nanoTime() - start < SETTLE_LIMIT.toNanos());
    }

    private static void pause() {
        boolean interrupted = Thread.interrupted(); // An interrupted thread would not pause.
        LockSupport.parkNanos(SETTLE_STEP.toNanos());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Number of keys of the lab. */
    public long keys() {
        return nodes.all().stream().mapToLong(keyspace::count).sum();
    }

    /** Number of keys that begin with {@code prefix}, which itself begins with {@link Keyspace#PREFIX}. */
    public long keys(String prefix) {
        return nodes.all().stream()
                .mapToLong(node -> Keyspace.countOf(node, prefix))
                .sum();
    }

    /** CPU time of the main thread since the server started; of all threads if the server does not tell more. */
    public CpuTime cpu() {
        return nodes.all().stream().map(RedisServer::cpu).reduce(CpuTime::plus).orElseThrow();
    }

    private static CpuTime cpu(Jedis node) {
        Map<String, String> cpu = info(node, "cpu");
        String suffix = cpu.containsKey("used_cpu_user_main_thread") ? "_main_thread" : "";
        return new CpuTime(number(cpu, "used_cpu_user" + suffix), number(cpu, "used_cpu_sys" + suffix), 1e-6);
    }

    private static double number(Map<String, String> info, String name) {
        String text = info.get(name);
        if (text == null) {
            throw new LabException("the server does not report " + name + ". Use Redis 6.2 or later.");
        }
        return Double.parseDouble(text);
    }

    /** Name and version, such as {@code 7.0.15} for Redis, or {@code valkey 8.1.8}. */
    public String version() {
        Map<String, String> server = info(control(), "server");
        return server.containsKey("valkey_version")
                ? "valkey " + server.get("valkey_version")
                : server.getOrDefault("redis_version", "unknown");
    }

    /** What the server has counted of {@code command}, in lower case, since the last {@link #reset}. */
    public CommandStatistics statistics(String command) {
        CommandStatistics since = commandStatistics()
                .getOrDefault(command, CommandStatistics.NONE)
                .minus(earlier.getOrDefault(command, CommandStatistics.NONE));
        return expectsRedirects ? new CommandStatistics(since.calls(), since.failed(), 0) : since;
    }

    private Map<String, CommandStatistics> commandStatistics() {
        Map<String, CommandStatistics> sums = new TreeMap<>();
        for (Jedis node : nodes.all()) {
            info(node, "commandstats")
                    .forEach((name, text) -> sums.merge(
                            name.replaceFirst("cmdstat_", ""), CommandStatistics.parse(text), CommandStatistics::plus));
        }
        return sums;
    }

    private static Map<String, String> info(Jedis node, String section) {
        return node.info(section)
                .lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    /** Opens connections that count the commands of the server, for another thread. */
    public CommandCounter openCounter() {
        return new CommandCounter(ServerNodes.connect(target));
    }

    /** Counts the commands that the server has processed. Used by one thread. */
    public static final class CommandCounter implements AutoCloseable {

        private final ServerNodes nodes;
        private long own;

        private CommandCounter(ServerNodes nodes) {
            this.nodes = nodes;
        }

        /** All commands since the server started, without the commands of this counter. */
        public long processed() {
            long sum = -own;
            for (Jedis node : nodes.all()) {
                sum += (long) number(info(node, "stats"), "total_commands_processed");
                own++; // The server counts a command after the command: the next look sees this one.
            }
            return sum;
        }

        @Override
        public void close() {
            nodes.close();
        }
    }

    /**
     * Calls of one command.
     *
     * @param calls executed commands, with failed ones
     * @param failed commands that were executed and answered with an error
     * @param rejected commands that were answered with an error before execution
     */
    public record CommandStatistics(long calls, long failed, long rejected) {

        static final CommandStatistics NONE = new CommandStatistics(0, 0, 0);

        /** Returns complaints unless the server has executed {@code command} exactly {@code expected} times. */
        public List<String> complaints(String command, long expected) {
            return equals(new CommandStatistics(expected, 0, 0))
                    ? List.of()
                    : List.of("calls of " + command + ": expected=" + expected + ", executed=" + calls + ", failed="
                            + failed + ", rejected=" + rejected);
        }

        CommandStatistics plus(CommandStatistics other) {
            return new CommandStatistics(calls + other.calls, failed + other.failed, rejected + other.rejected);
        }

        CommandStatistics minus(CommandStatistics other) {
            return new CommandStatistics(calls - other.calls, failed - other.failed, rejected - other.rejected);
        }

        static CommandStatistics parse(String text) {
            Map<String, String> fields = Stream.of(text.split(","))
                    .map(field -> field.split("=", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
            return new CommandStatistics(
                    Long.parseLong(fields.getOrDefault("calls", "0")),
                    Long.parseLong(fields.getOrDefault("failed_calls", "0")),
                    Long.parseLong(fields.getOrDefault("rejected_calls", "0")));
        }
    }

    /** Removes the keys of the lab, closes the connections and releases the server. */
    @Override
    public void close() {
        try (nodes) {
            if (keyspace != Keyspace.WHOLE) {
                settle();
            }
        } finally {
            end.run();
        }
    }
}
