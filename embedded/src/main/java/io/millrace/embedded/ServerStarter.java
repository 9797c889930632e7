// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Starts a server, and retries with another port if another process has taken the port. */
final class ServerStarter {

    /**
     * Matches the error text for a port in use. The text of glibc and macOS contains "already". The text of musl does
     * not, and the server inside the jar uses musl.
     */
    private static final Pattern PORT_TAKEN = Pattern.compile("Address (already )?in use");

    private static final int PORT_ATTEMPTS = 5;
    private static final int LOG_LINES_IN_MESSAGE = 5;
    private static final Duration END_TIMEOUT = Duration.ofSeconds(5);
    private static final long PROBE_INTERVAL_NANOS = 5_000_000;

    /** A server with this name starts as a Sentinel. */
    private static final String SENTINEL_NAME = "redis-sentinel";

    private final EmbeddedOptions options;
    private final boolean sentinel;
    private final IntSupplier freePort;
    private final long startedNanos = System.nanoTime();

    /** Creates a starter of a server, or of a Sentinel. */
    ServerStarter(EmbeddedOptions options, boolean sentinel) {
        this(options, sentinel, EmbeddedRedis::freePort);
    }

    /** Creates a starter that takes the port of each attempt from {@code freePort}. */
    ServerStarter(EmbeddedOptions options, boolean sentinel, IntSupplier freePort) {
        this.options = options;
        this.sentinel = sentinel;
        this.freePort = freePort;
    }

    EmbeddedRedis start() {
        for (int attempt = 1; ; attempt++) {
            int port = freePort.getAsInt();
            ServerGuard serverGuard = ServerGuard.start(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
            Optional<EmbeddedRedis> running = Optional.empty();
            OptionalInt exit = OptionalInt.empty();
            List<String> log = List.of();
            try {
                running = start(serverGuard, port);
                exit = serverGuard.exit();
                log = serverGuard.log();
            } finally {
                if (running.isEmpty()) {
                    serverGuard.release();
                    serverGuard.awaitEnd(END_TIMEOUT);
                }
            }
            if (running.isPresent()) {
                return running.get();
            }
            if (attempt == PORT_ATTEMPTS || !portWasTaken(log) || remainingNanos() <= 0) {
                throw failure(serverGuard, port, exit, log);
            }
        }
    }

    private Optional<EmbeddedRedis> start(ServerGuard serverGuard, int port) {
        OptionalInt tlsPort =
                options.tls().isPresent() ? OptionalInt.of(EmbeddedRedis.freePort()) : OptionalInt.empty();
        ServerConfig config = new ServerConfig(port, tlsPort, serverGuard.directory(), options);
        config.write();
        Path binary = program(serverGuard.directory());
        Optional<Long> started = serverGuard.startServer(binary, Duration.ofNanos(Math.max(1, remainingNanos())));
        if (started.isEmpty()) {
            return Optional.empty();
        }
        Optional<ProcessHandle> server = ProcessHandle.of(started.get());
        if (server.isEmpty()) {
            // The server has ended already. Wait for the rest of its log.
            serverGuard.awaitEnd(END_TIMEOUT);
            return Optional.empty();
        }
        String pid = Long.toString(server.get().pid());
        ServerProbe serverProbe = new ServerProbe(port, options.password());
        while (serverGuard.isAlive()
                && remainingNanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            Optional<Map<String, String>> info = serverProbe.ask("server");
            if (info.isPresent() && pid.equals(info.get().get("process_id"))) {
                return Optional.of(EmbeddedRedis.running(serverGuard, config, server.get(), info.get()));
            }
            LockSupport.parkNanos(PROBE_INTERVAL_NANOS);
        }
        if (!serverGuard.isAlive()) {
            // The server has ended. Wait for the rest of its log.
            serverGuard.awaitEnd(END_TIMEOUT);
        }
        return Optional.empty();
    }

    private Path program(Path directory) {
        Path binary = options.binary().resolve(directory).orElseThrow(this::noBinary);
        if (!sentinel) {
            return binary;
        }
        try {
            return Files.createSymbolicLink(directory.resolve(SENTINEL_NAME), binary);
        } catch (IOException e) {
            throw new UncheckedIOException("the program of the Sentinel cannot be linked: directory=" + directory, e);
        }
    }

    private long remainingNanos() {
        return options.startTimeout().toNanos() - (System.nanoTime() - startedNanos);
    }

    private static boolean portWasTaken(List<String> log) {
        return log.stream().anyMatch(line -> PORT_TAKEN.matcher(line).find());
    }

    private EmbeddedRedisException noBinary() {
        return new EmbeddedRedisException(
                "no server binary was found: binary=" + options.binary() + ", platform="
                        + ServerBinary.FromJar.platform()
                        + ". Install redis-server or valkey-server (Debian: apt install redis-server, macOS: brew install redis).");
    }

    /**
     * Removes the password from a line of the log. A server logs each configuration line that it rejects, so the log
     * may contain the password.
     */
    private String withoutPassword(String line) {
        return options.password()
                .map(password ->
                        line.replace(ServerConfig.quote(password), "***").replace(password, "***"))
                .orElse(line);
    }

    private EmbeddedRedisException failure(ServerGuard serverGuard, int port, OptionalInt exit, List<String> log) {
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        String last = log.stream()
                .skip(Math.max(0, log.size() - LOG_LINES_IN_MESSAGE))
                .map(this::withoutPassword)
                .collect(Collectors.joining(" | "));
        return new EmbeddedRedisException(String.format(
                Locale.ROOT,
                "redis-server did not start after %.1f s: binary=%s, port=%d, directory=%s, exit=%s, log=%s. "
                        + "Fix the error in the log. If the system does not allow programs in this directory,"
                        + " set java.io.tmpdir to another directory.",
                seconds,
                options.binary(),
                port,
                serverGuard.directory(),
                exit.isPresent() ? exit.getAsInt() : "none",
                last.isEmpty() ? "none" : last));
    }
}
