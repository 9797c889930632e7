// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A private primary, its replica, and Sentinels that watch both. If the primary is lost, the Sentinels promote the replica
 * after about a second.
 *
 * <p>Each process ends as that of {@link EmbeddedRedis} does. Thread-safe.
 */
public final class EmbeddedSentinels implements AutoCloseable {

    /** Name of the primary in the configuration of the Sentinels. */
    public static final String PRIMARY_NAME = "millrace";

    /** A primary without an answer for this time counts as lost. Short, so that tests are short. */
    private static final Duration DOWN_AFTER = Duration.ofMillis(500);

    /** Sentinels find each other within four seconds. The limit is much longer, because a machine may be busy. */
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(1);

    private static final long PROBE_INTERVAL_NANOS = 10_000_000;

    private final List<EmbeddedRedis> processes = new ArrayList<>();
    private final Optional<String> password;
    private final int sentinels;

    private EmbeddedSentinels(Optional<String> password, int sentinels) {
        this.password = password;
        this.sentinels = sentinels;
    }

    /** Starts a primary, a replica and three Sentinels without passwords, and waits until the Sentinels know all servers. */
    public static EmbeddedSentinels start() {
        return start(EmbeddedOptions.defaults(), 3, Optional.empty());
    }

    /**
     * Starts a primary, a replica and Sentinels, and waits until the Sentinels know all servers.
     *
     * @param options options of the primary and of the replica
     * @param sentinels number of Sentinels, 1 or more
     * @param password password of the Sentinels themselves
     * @throws EmbeddedRedisException if a process does not start, or the Sentinels are not ready within a minute
     */
    public static EmbeddedSentinels start(EmbeddedOptions options, int sentinels, Optional<String> password) {
        EmbeddedSentinels all = new EmbeddedSentinels(password, sentinels);
        boolean ready = false;
        try {
            all.startAll(options);
            ready = true;
        } finally {
            if (!ready) {
                all.close();
            }
        }
        return all;
    }

    private void startAll(EmbeddedOptions options) {
        EmbeddedRedis primary = EmbeddedRedis.start(withLines(options, replicationOptions(options)));
        processes.add(primary);
        List<String> replication = new ArrayList<>(replicationOptions(options));
        replication.add("replicaof " + primary.host() + " " + primary.port());
        processes.add(EmbeddedRedis.start(withLines(options, replication)));
        await(
                "the replica follows the primary",
                () -> probe(primary, options.password())
                        .ask("replication")
                        .map(fields -> "1".equals(fields.get("connected_slaves"))
                                && fields.getOrDefault("slave0", "").contains("state=online"))
                        .orElse(false));
        for (int i = 0; i < sentinels; i++) {
            processes.add(startSentinel(options, primary));
        }
        for (EmbeddedRedis sentinel : sentinels()) {
            await(
                    "a Sentinel knows all servers",
                    () -> probe(sentinel, password)
                            .ask("sentinel")
                            .map(this::isReady)
                            .orElse(false));
        }
    }

    private boolean isReady(Map<String, String> fields) {
        String state = fields.getOrDefault("master0", "");
        return state.contains("status=ok") && state.contains("slaves=1,") && state.endsWith("sentinels=" + sentinels);
    }

    private EmbeddedRedis startSentinel(EmbeddedOptions options, EmbeddedRedis primary) {
        List<String> lines = new ArrayList<>();
        lines.add("sentinel monitor " + PRIMARY_NAME + " " + primary.host() + " " + primary.port() + " "
                + (sentinels / 2 + 1));
        options.password()
                .ifPresent(
                        secret -> lines.add("sentinel auth-pass " + PRIMARY_NAME + " " + ServerConfig.quote(secret)));
        password.ifPresent(secret -> lines.add("sentinel sentinel-pass " + ServerConfig.quote(secret)));
        lines.add("sentinel down-after-milliseconds " + PRIMARY_NAME + " " + DOWN_AFTER.toMillis());
        lines.add("sentinel failover-timeout " + PRIMARY_NAME + " 5000");
        EmbeddedOptions ofSentinel = EmbeddedOptions.defaults()
                .withBinary(options.binary())
                .withStartTimeout(options.startTimeout())
                .withConfig(lines.toArray(String[]::new));
        return new ServerStarter(password.map(ofSentinel::withPassword).orElse(ofSentinel), true).start();
    }

    /**
     * Each of the two servers can be the replica of the other one: it logs in with the same password. The primary sends its
     * data at once, instead of a wait for further replicas.
     */
    private static List<String> replicationOptions(EmbeddedOptions options) {
        List<String> lines = new ArrayList<>(List.of("repl-diskless-sync-delay 0"));
        options.password().ifPresent(secret -> lines.add("masterauth " + ServerConfig.quote(secret)));
        return lines;
    }

    private static EmbeddedOptions withLines(EmbeddedOptions options, List<String> lines) {
        List<String> all = new ArrayList<>(options.config());
        all.addAll(lines);
        return options.withConfig(all.toArray(String[]::new));
    }

    private static ServerProbe probe(EmbeddedRedis server, Optional<String> password) {
        return new ServerProbe(server.port(), password);
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > READY_TIMEOUT.toNanos()
                    || Thread.currentThread().isInterrupted()) {
                throw new EmbeddedRedisException("not reached after " + (System.nanoTime() - start) / 1_000_000
                        + " ms: " + what + ". Check the logs of the servers.");
            }
            LockSupport.parkNanos(PROBE_INTERVAL_NANOS);
        }
    }

    /** The server that was the primary at the start. */
    public EmbeddedRedis firstPrimary() {
        return processes.get(0);
    }

    /** The server that was the replica at the start. */
    public EmbeddedRedis firstReplica() {
        return processes.get(1);
    }

    /** The Sentinels, in the order of their start. */
    public List<EmbeddedRedis> sentinels() {
        return List.copyOf(processes.subList(2, processes.size()));
    }

    /** {@code redis-sentinel://127.0.0.1:port,127.0.0.1:port/0#millrace}, without passwords. */
    public String uri() {
        return sentinels().stream()
                .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + PRIMARY_NAME));
    }

    /** Ends all processes. */
    @Override
    public void close() {
        processes.reversed().forEach(EmbeddedRedis::close);
    }
}
