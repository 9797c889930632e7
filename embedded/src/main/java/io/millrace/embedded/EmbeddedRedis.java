// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * A private real server on a free loopback port, without persistence.
 *
 * <p>It ends with {@link #close}, and with this JVM whatever ends that: an exit, a signal, {@code kill -9}. It does not end
 * while the JVM's shutdown hooks run, so that what is being drained there still has its server. Its directory, which
 * only the owner may enter, goes with it.
 *
 * <p>Linux and macOS. Safe to use from several threads.
 */
public final class EmbeddedRedis implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration END_PATIENCE = Duration.ofSeconds(5);

    private final Guard guard;
    private final ServerConfig config;
    private final ProcessHandle server;
    private final String version;

    private EmbeddedRedis(Guard guard, ServerConfig config, ProcessHandle server, Map<String, String> info) {
        this.guard = guard;
        this.config = config;
        this.server = server;
        this.version = info.getOrDefault("valkey_version", info.getOrDefault("redis_version", "unknown"));
    }

    /** Starts a server with {@link EmbeddedOptions#defaults} and waits until it answers. */
    public static EmbeddedRedis start() {
        return start(EmbeddedOptions.defaults());
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @throws EmbeddedRedisException if there is no server program, or it does not answer in time
     */
    public static EmbeddedRedis start(EmbeddedOptions options) {
        return new Starter(options).start();
    }

    /** Makes a running server of what a {@link Starter} has brought up. */
    static EmbeddedRedis running(Guard guard, ServerConfig config, ProcessHandle server, Map<String, String> info) {
        return new EmbeddedRedis(guard, config, server, info);
    }

    /** Always {@code 127.0.0.1}. */
    public String host() {
        return HOST;
    }

    public int port() {
        return config.port();
    }

    /** The encrypted port, if certificates were given. */
    public OptionalInt tlsPort() {
        return config.tlsPort();
    }

    /** {@code redis://127.0.0.1:port}, never with the password. */
    public String uri() {
        return "redis://" + HOST + ":" + port();
    }

    /** What clients must authenticate with, if anything. */
    public Optional<String> password() {
        return config.options().password();
    }

    /** The socket file, if one was asked for. */
    public Optional<Path> unixSocket() {
        return config.options().unixSocket()
                ? Optional.of(directory().resolve(ServerConfig.SOCKET_NAME))
                : Optional.empty();
    }

    /** The server's working directory, which is removed when it ends. */
    public Path directory() {
        return guard.directory();
    }

    /** The process id of the server itself. */
    public long pid() {
        return server.pid();
    }

    /** The server's version, such as {@code 7.0.15}; of Valkey its own, not the Redis version it is compatible with. */
    public String version() {
        return version;
    }

    /** The last 200 lines of the server's log, the oldest first. */
    public List<String> log() {
        return guard.log();
    }

    public boolean isAlive() {
        return guard.isAlive();
    }

    /** Kills the server with SIGKILL and waits until it has ended: what a crash looks like to its clients. */
    public void kill() {
        server.destroyForcibly();
        if (!guard.awaitEnd(END_PATIENCE)) {
            throw new EmbeddedRedisException("the server did not end " + END_PATIENCE.toSeconds()
                    + " s after SIGKILL: pid=" + pid() + ", port=" + port() + ". It is stuck in the kernel.");
        }
    }

    /** Stops the server with SIGSTOP: its connections stay open and nothing answers. */
    public void pause() {
        signal("STOP");
    }

    /** Lets a paused server go on. */
    public void resume() {
        signal("CONT");
    }

    /** Ends the server and removes its directory; does nothing if that was done. Waits at most about 10 s. */
    @Override
    public void close() {
        guard.release();
        if (!guard.awaitEnd(END_PATIENCE)) {
            guard.kill();
        }
        // Only if the guard was killed by somebody is there still anything to do.
        server.destroyForcibly();
        remove(directory());
    }

    @Override
    public String toString() {
        return "EmbeddedRedis[" + uri() + ", version=" + version + ", pid=" + pid() + "]";
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -\"$0\" \"$1\"", name, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .start();
            String words = kill.inputReader().readLine();
            if (kill.waitFor() != 0) {
                throw new EmbeddedRedisException("the server cannot be signalled: signal=" + name + ", pid=" + pid()
                        + ", cause=" + words + ". See whether it is still running.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedRedisException("interrupted while signalling the server: signal=" + name, e);
        }
    }

    private static void remove(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the server's directory cannot be removed: " + directory, e);
        }
    }

    /** {@code 127.0.0.1} as bytes: the JDK's own notion of loopback may be {@code ::1}, where the server does not listen. */
    static byte[] loopback() {
        return new byte[] {127, 0, 0, 1};
    }

    /** A port that nobody listens on now. It may be taken a moment later: whoever uses it must be ready for that. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(loopback()))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free loopback port", e);
        }
    }
}
