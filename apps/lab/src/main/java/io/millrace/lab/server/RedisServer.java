// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.lab.client.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The real server that contenders talk to. Looked after over a connection of its own, by Jedis, so that no contender's
 * own code vouches for its data. Used by one thread.
 */
public final class RedisServer implements AutoCloseable {

    private static final int REPLY_MILLIS = (int) Duration.ofMinutes(2).toMillis();

    private final Target target;
    private final Jedis control;
    private final Keyspace keyspace;
    private final Runnable end;

    private RedisServer(Target target, Keyspace keyspace, Runnable end) {
        this.target = target;
        this.keyspace = keyspace;
        this.end = end;
        try {
            this.control = connect();
            refuseCluster();
            keyspace.claim(control, target.database());
        } catch (JedisException e) {
            end.run();
            throw new LabException(
                    "the server cannot be used: target=" + target + ", cause=" + e.getMessage()
                            + ". Look at its address, and at the user and the password.",
                    e);
        } catch (LabException e) {
            end.run();
            throw e;
        }
    }

    /**
     * A server that runs already.
     *
     * @param keyspace what of its keys is the lab's
     * @param end run when the server is no longer needed
     * @throws LabException if it cannot be reached, or its keys are not the lab's to work with
     */
    public static RedisServer at(Target target, Keyspace keyspace, Runnable end) {
        return new RedisServer(target, keyspace, end);
    }

    /**
     * Starts the server {@code program} on loopback, without persistence, with its log in {@code folder}; returns when
     * it answers.
     */
    public static RedisServer start(Path program, Path folder) {
        var process = ServerProcess.start(program, folder);
        return at(Target.of("127.0.0.1", process.port()), Keyspace.WHOLE, process::close);
    }

    /** Contenders talk to one server: where keys live on several, each would need a client of another kind. */
    private void refuseCluster() {
        if (info("cluster").getOrDefault("cluster_enabled", "0").equals("1")) {
            throw new LabException("the server is part of a cluster, which the lab does not measure: target=" + target
                    + ". Name a server that stands alone.");
        }
    }

    /** How it is reached straight. */
    public Target target() {
        return target;
    }

    /** The connection for looking after the server. */
    public Jedis control() {
        return control;
    }

    /** Another such connection, for another thread; the caller closes it. */
    public Jedis connect() {
        return connect(target);
    }

    /** Such a connection by another way to the same server; the caller closes it. */
    public Jedis connect(Target door) {
        var config = DefaultJedisClientConfig.builder()
                .user(target.username().orElse(null))
                .password(target.password().orElse(null))
                .database(target.database())
                .socketTimeoutMillis(REPLY_MILLIS)
                .build();
        return new Jedis(new HostAndPort(door.host(), door.port()), config);
    }

    /** Takes away what the last round left, and returns when that is done. */
    public void reset() {
        keyspace.reset(control);
    }

    /**
     * The same after a client that may have been killed: returns when nothing more comes of what it sent, or after ten
     * seconds.
     */
    void settle() {
        keyspace.settle(control);
    }

    /** The keys that are the lab's. */
    public long keys() {
        return keyspace.count(control);
    }

    /** Those of them that begin with {@code prefix}, which itself begins with {@link Keyspace#PREFIX}. */
    public long keys(String prefix) {
        return Keyspace.countOf(control, prefix);
    }

    /** CPU time so far of the server's main thread, or of the whole server if the server does not tell more. */
    public CpuTime cpu() {
        var cpu = info("cpu");
        String suffix = cpu.containsKey("used_cpu_user_main_thread") ? "_main_thread" : "";
        return new CpuTime(number(cpu, "used_cpu_user" + suffix), number(cpu, "used_cpu_sys" + suffix), 1e-6);
    }

    /** What it calls itself and its version, such as {@code 7.0.15} or {@code valkey 8.1.8}. */
    public String version() {
        var server = info("server");
        return server.containsKey("valkey_version")
                ? "valkey " + server.get("valkey_version")
                : server.getOrDefault("redis_version", "unknown");
    }

    /** What the server has counted of {@code command}, in lower case, since the last {@link #reset}. */
    public CommandStatistics statistics(String command) {
        return CommandStatistics.parse(info("commandstats").getOrDefault("cmdstat_" + command, ""));
    }

    private Map<String, String> info(String section) {
        return control.info(section)
                .lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    private static double number(Map<String, String> info, String name) {
        var text = info.get(name);
        if (text == null) {
            throw new LabException("the server does not report " + name + ". It must be Redis 6.2 or later.");
        }
        return Double.parseDouble(text);
    }

    /**
     * Calls of one command.
     *
     * @param calls that were executed, failed ones among them
     * @param failed executed and answered with an error
     * @param rejected answered with an error before execution
     */
    public record CommandStatistics(long calls, long failed, long rejected) {

        /** Returns complaints unless the server has executed {@code command} exactly {@code expected} times. */
        public List<String> complaints(String command, long expected) {
            return equals(new CommandStatistics(expected, 0, 0))
                    ? List.of()
                    : List.of("calls of " + command + ": expected=" + expected + ", executed=" + calls + ", failed="
                            + failed + ", rejected=" + rejected);
        }

        static CommandStatistics parse(String text) {
            Map<String, String> fields = text.isEmpty()
                    ? Map.of()
                    : List.of(text.split(",")).stream()
                            .map(field -> field.split("=", 2))
                            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
            Function<String, Long> field = name -> Long.parseLong(fields.getOrDefault(name, "0"));
            return new CommandStatistics(
                    field.apply("calls"), field.apply("failed_calls"), field.apply("rejected_calls"));
        }
    }

    /** Takes the lab's keys away and lets go of the server. */
    @Override
    public void close() {
        try (control) {
            keyspace.leave(control);
        } finally {
            end.run();
        }
    }
}
