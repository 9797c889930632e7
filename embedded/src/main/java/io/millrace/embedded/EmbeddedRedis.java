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
 * A private, real server on a free loopback port, without persistence.
 *
 * <p>The server ends with {@link #close}, or when this JVM ends for any reason: an exit, a signal, {@code kill -9}. The
 * server keeps running during the shutdown hooks of the JVM, because a hook may wait until a running load is complete,
 * and the load needs the server. Only the user who started the server may enter the directory of the server. The
 * directory is removed when the server ends.
 *
 * <p>Runs on Linux and macOS. Thread-safe.
 */
public final class EmbeddedRedis implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration END_TIMEOUT = Duration.ofSeconds(5);

    private final ServerGuard serverGuard;
    private final ServerConfig config;
    private final ProcessHandle server;
    private final String version;

    private EmbeddedRedis(
            ServerGuard serverGuard, ServerConfig config, ProcessHandle server, Map<String, String> info) {
        this.serverGuard = serverGuard;
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
     * @throws EmbeddedRedisException if no server binary is found, or the server does not answer in time
     */
    public static EmbeddedRedis start(EmbeddedOptions options) {
        return new ServerStarter(options, false).start();
    }

    /** Creates the object for a server that a {@link ServerStarter} has started. */
    static EmbeddedRedis running(
            ServerGuard serverGuard, ServerConfig config, ProcessHandle server, Map<String, String> info) {
        return new EmbeddedRedis(serverGuard, config, server, info);
    }

    /** Always {@code 127.0.0.1}. */
    public String host() {
        return HOST;
    }

    public int port() {
        return config.port();
    }

    /** The TLS port, if the options contain certificates. */
    public OptionalInt tlsPort() {
        return config.tlsPort();
    }

    /** {@code redis://127.0.0.1:port}, without the password. */
    public String uri() {
        return "redis://" + HOST + ":" + port();
    }

    /** The password, if any. */
    public Optional<String> password() {
        return config.options().password();
    }

    /** Path of the Unix socket. Empty if the options do not request a Unix socket. */
    public Optional<Path> unixSocket() {
        return config.options().unixSocket()
                ? Optional.of(directory().resolve(ServerConfig.SOCKET_NAME))
                : Optional.empty();
    }

    /** Working directory of the server, removed when the server ends. */
    public Path directory() {
        return serverGuard.directory();
    }

    /** Process id of the server. The shell that guards the server has a different process id. */
    public long pid() {
        return server.pid();
    }

    /**
     * Version of the server, such as {@code 7.0.15}. For Valkey this is the Valkey version, not the compatible Redis
     * version.
     */
    public String version() {
        return version;
    }

    /** The last 200 lines of the server's log, oldest first. */
    public List<String> log() {
        return serverGuard.log();
    }

    public boolean isAlive() {
        return serverGuard.isAlive();
    }

    /** Kills the server with SIGKILL and waits until it has ended. For its clients this looks like a crash. */
    public void kill() {
        server.destroyForcibly();
        if (!serverGuard.awaitEnd(END_TIMEOUT)) {
            throw new EmbeddedRedisException("the server did not end " + END_TIMEOUT.toSeconds()
                    + " s after SIGKILL: pid=" + pid() + ", port=" + port() + ". The process is stuck in the kernel.");
        }
    }

    /** Stops the server with SIGSTOP. Its connections stay open, but it does not answer. */
    public void pause() {
        signal("STOP");
    }

    /** Continues a paused server. */
    public void resume() {
        signal("CONT");
    }

    /** Ends the server and removes its directory. Further calls have no effect. Waits about 10 s at most. */
    @Override
    public void close() {
        serverGuard.release();
        if (!serverGuard.awaitEnd(END_TIMEOUT)) {
            serverGuard.kill();
        }
        // Normally the guard has already ended the server and removed its directory. If the guard was killed, this
        // method does both.
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
            String output = kill.inputReader().readLine();
            if (kill.waitFor() != 0) {
                throw new EmbeddedRedisException("the signal cannot be sent to the server: signal=" + name + ", pid="
                        + pid() + ", cause=" + output + ". Check whether the server is running.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedRedisException("interrupted while sending a signal to the server: signal=" + name, e);
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

    /** {@code 127.0.0.1} as bytes. The JDK's loopback address may be {@code ::1}, where the server does not listen. */
    static byte[] loopback() {
        return new byte[] {127, 0, 0, 1};
    }

    /**
     * Returns a port that is free at the moment. Another process may take the port before the server does, so the
     * caller must be able to retry.
     */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(loopback()))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free loopback port", e);
        }
    }
}
