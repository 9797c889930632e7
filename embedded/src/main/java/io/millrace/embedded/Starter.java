// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Brings one server up, and tries again with another port if somebody was faster to take it. */
final class Starter {

    /** In the words of glibc and macOS, and of musl, which the server inside the jar is linked with. */
    private static final Pattern PORT_TAKEN = Pattern.compile("Address (already )?in use");

    private static final int PORT_ATTEMPTS = 5;
    private static final int LOG_LINES_IN_MESSAGE = 5;
    private static final Duration END_PATIENCE = Duration.ofSeconds(5);
    private static final long PROBE_EVERY_NANOS = 5_000_000;

    private final EmbeddedOptions options;
    private final long startedNanos = System.nanoTime();

    Starter(EmbeddedOptions options) {
        this.options = options;
    }

    EmbeddedRedis start() {
        for (int attempt = 1; ; attempt++) {
            int port = EmbeddedRedis.freePort();
            Guard guard = Guard.start(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
            Optional<EmbeddedRedis> running = Optional.empty();
            OptionalInt exit = OptionalInt.empty();
            List<String> log = List.of();
            try {
                running = start(guard, port);
                exit = guard.exit();
                log = guard.log();
            } finally {
                if (running.isEmpty()) {
                    guard.release();
                    guard.awaitEnd(END_PATIENCE);
                }
            }
            if (running.isPresent()) {
                return running.get();
            }
            if (attempt == PORT_ATTEMPTS || !portWasTaken(log) || remainingNanos() <= 0) {
                throw failure(guard, port, exit, log);
            }
        }
    }

    private Optional<EmbeddedRedis> start(Guard guard, int port) {
        OptionalInt tlsPort =
                options.tls().isPresent() ? OptionalInt.of(EmbeddedRedis.freePort()) : OptionalInt.empty();
        ServerConfig config = new ServerConfig(port, tlsPort, guard.directory(), options);
        config.write();
        Path binary = options.binary().resolve(guard.directory()).orElseThrow(this::noBinary);
        Optional<Long> started = guard.startServer(binary, Duration.ofNanos(Math.max(1, remainingNanos())));
        if (started.isEmpty()) {
            return Optional.empty();
        }
        Optional<ProcessHandle> server = ProcessHandle.of(started.get());
        if (server.isEmpty()) {
            // It has ended already: its last words are still being read.
            guard.awaitEnd(END_PATIENCE);
            return Optional.empty();
        }
        String pid = Long.toString(server.get().pid());
        Probe probe = new Probe(port, options.password());
        while (guard.isAlive()
                && remainingNanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            Optional<Map<String, String>> info = probe.ask();
            if (info.isPresent() && pid.equals(info.get().get("process_id"))) {
                return Optional.of(EmbeddedRedis.running(guard, config, server.get(), info.get()));
            }
            LockSupport.parkNanos(PROBE_EVERY_NANOS);
        }
        if (!guard.isAlive()) {
            // The server ended by itself: its last words are still being read.
            guard.awaitEnd(END_PATIENCE);
        }
        return Optional.empty();
    }

    private long remainingNanos() {
        return options.startTimeout().toNanos() - (System.nanoTime() - startedNanos);
    }

    private static boolean portWasTaken(List<String> log) {
        return log.stream().anyMatch(line -> PORT_TAKEN.matcher(line).find());
    }

    private EmbeddedRedisException noBinary() {
        return new EmbeddedRedisException(
                "there is no server to start: binary=" + options.binary() + ", platform="
                        + ServerBinary.FromJar.platform()
                        + ". Install redis-server or valkey-server (Debian: apt install redis-server, macOS: brew install redis).");
    }

    /** A server that does not like its configuration prints the line, so the password may be in the log. */
    private String withoutPassword(String line) {
        return options.password()
                .map(password ->
                        line.replace(ServerConfig.quote(password), "***").replace(password, "***"))
                .orElse(line);
    }

    private EmbeddedRedisException failure(Guard guard, int port, OptionalInt exit, List<String> log) {
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        String last = log.stream()
                .skip(Math.max(0, log.size() - LOG_LINES_IN_MESSAGE))
                .map(this::withoutPassword)
                .collect(Collectors.joining(" | "));
        return new EmbeddedRedisException(String.format(
                Locale.ROOT,
                "redis-server did not start after %.1f s: binary=%s, port=%d, directory=%s, exit=%s, log=%s. "
                        + "Mend what the log says; if the directory may not hold programs, point java.io.tmpdir elsewhere.",
                seconds,
                options.binary(),
                port,
                guard.directory(),
                exit.isPresent() ? exit.getAsInt() : "none",
                last.isEmpty() ? "none" : last));
    }
}
