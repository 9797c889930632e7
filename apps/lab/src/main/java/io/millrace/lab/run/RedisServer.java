// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.FlushMode;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The real server that contenders talk to, on loopback, without persistence. Looked after over a connection of its own, by Jedis, so that no contender's own code vouches for its data. Used by one thread.
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    private final Process process;
    private final Thread endWithJvm;
    private final int port;
    private final Jedis control;

    private RedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
        this.endWithJvm = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithJvm);
        try {
            this.control = connect();
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    /** Starts the server {@code program}, whose log is kept in {@code folder}; returns when it answers. */
    public static RedisServer start(Path program, Path folder) {
        int port = freePort();
        var command = List.of(
                program.toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString());
        try {
            return new RedisServer(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("redis-server.log").toFile())
                            .start(),
                    port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Jedis connect() {
        long deadlineNanos = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            try {
                return new Jedis(host(), port, (int) Duration.ofMinutes(2).toMillis());
            } catch (JedisException e) {
                if (System.nanoTime() > deadlineNanos || ended(Duration.ofMillis(50))) {
                    throw new LabException(
                            "redis-server does not answer: port=" + port + ", alive=" + process.isAlive()
                                    + ". Start it by hand to see why.",
                            e);
                }
            }
        }
    }

    private boolean ended(Duration within) {
        try {
            return process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return port;
    }

    /** The connection for looking after the server. */
    public Jedis control() {
        return control;
    }

    /** Empties the server, and its statistics, and returns when that is done. */
    public void reset() {
        control.flushAll(FlushMode.SYNC);
        control.configResetStat();
    }

    /** CPU seconds of the server's main thread so far. */
    public double cpuSeconds() {
        var cpu = info("cpu");
        return number(cpu, "used_cpu_user_main_thread") + number(cpu, "used_cpu_sys_main_thread");
    }

    public String version() {
        return info("server").getOrDefault("redis_version", "unknown");
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

        /** What is wrong with them if {@code command} was to be carried out {@code expected} times. */
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

    @Override
    public void close() {
        control.close();
        end();
        Runtime.getRuntime().removeShutdownHook(endWithJvm);
    }

    private void end() {
        process.destroy();
        if (!ended(Duration.ofSeconds(10))) {
            process.destroyForcibly();
        }
    }
}
