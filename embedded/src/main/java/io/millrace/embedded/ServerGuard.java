// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The guard: a shell process between this JVM and the server. The guard ends the server and removes its directory when
 * this JVM ends. {@code guard.sh} describes how the guard works.
 *
 * <p>When the server ends, the guard also ends. So the guard is alive as long as the server is alive, unless another
 * process kills the guard.
 */
final class ServerGuard {

    private static final int LOG_LINES = 200;
    private static final String PID_LINE = "millrace-server-pid ";
    /** Perl code that starts the shell in a new session if {@code setsid} is not installed, as on macOS. */
    private static final String PERL_SETSID = "use POSIX; POSIX::setsid(); exec @ARGV or die $!";

    private final Process shell;
    private final BufferedReader output;
    private final Path directory;
    private final CompletableFuture<Long> serverPid = new CompletableFuture<>();
    private final Thread logReader;

    private final ReentrantLock logLock = new ReentrantLock();
    /** Guarded by {@link #logLock}. */
    private final Deque<String> log = new ArrayDeque<>();

    private ServerGuard(Process shell, BufferedReader output, Path directory) {
        this.shell = shell;
        this.output = output;
        this.directory = directory;
        this.logReader = Thread.ofPlatform()
                .daemon()
                .name("embedded-redis-log-" + shell.pid())
                .start(this::readLog);
    }

    /**
     * Starts the shell. The shell creates the directory of the server. Call {@link #startServer} to start the server.
     */
    static ServerGuard start(Path parent) {
        List<String> command = new ArrayList<>(newSession());
        command.addAll(List.of("/bin/sh", "-c", script(), "millrace-guard", parent.toString()));
        try {
            Process shell =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            BufferedReader output = shell.inputReader(UTF_8);
            String directory = output.readLine();
            if (directory == null || !directory.startsWith("/")) {
                throw new EmbeddedRedisException("the directory of the server cannot be created: parent=" + parent
                        + ", reply of the shell=" + directory
                        + ". Make the parent directory writable, or set java.io.tmpdir to another directory.");
            }
            return new ServerGuard(shell, output, Path.of(directory));
        } catch (IOException e) {
            throw new EmbeddedRedisException(
                    "the shell that guards a server cannot be started: command=/bin/sh, cause=" + e.getMessage()
                            + ". An embedded server needs Linux or macOS. On other systems, start a server yourself.",
                    e);
        }
    }

    /**
     * Command prefix that starts a program in a new session. In this session the program receives no signals from the
     * terminal. Empty if neither {@code setsid} nor {@code perl} is installed.
     */
    static List<String> newSession() {
        return ServerBinary.FromPath.find("setsid")
                .map(setsid -> List.of(setsid.toString()))
                .or(() -> ServerBinary.FromPath.find("perl").map(perl -> List.of(perl.toString(), "-e", PERL_SETSID)))
                .orElse(List.of());
    }

    private static String script() {
        try (InputStream in = ServerGuard.class.getResourceAsStream("guard.sh")) {
            return new String(Objects.requireNonNull(in, "guard.sh").readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path directory() {
        return directory;
    }

    /**
     * Starts {@code binary} and returns its process id. The result is empty if the shell ended, or if {@code timeout}
     * passed.
     */
    Optional<Long> startServer(Path binary, Duration timeout) {
        try {
            Writer in = shell.outputWriter(UTF_8);
            in.write(binary + "\n");
            in.flush();
            return Optional.of(serverPid.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (IOException | TimeoutException | ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** Exit status of the server as reported by the shell, 128 + n for signal n; empty while the server runs. */
    OptionalInt exit() {
        return shell.isAlive() ? OptionalInt.empty() : OptionalInt.of(shell.exitValue());
    }

    /** The last lines of the server's log. */
    List<String> log() {
        logLock.lock();
        try {
            return List.copyOf(log);
        } finally {
            logLock.unlock();
        }
    }

    /**
     * Waits until the server has ended and its directory is removed. Returns false if {@code timeout} passed before.
     */
    boolean awaitEnd(Duration timeout) {
        try {
            boolean ended = shell.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (ended) {
                logReader.join(timeout);
            }
            return ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !shell.isAlive();
        }
    }

    /** Closes the pipe between this JVM and the shell. The shell then kills the server and removes the directory. */
    void release() {
        try {
            shell.outputWriter(UTF_8).close();
        } catch (IOException e) {
            // The shell has ended and has closed the pipe.
        }
    }

    void kill() {
        shell.destroyForcibly();
    }

    private void readLog() {
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(PID_LINE)) {
                    serverPid.complete(Long.parseLong(line.substring(PID_LINE.length())));
                } else {
                    remember(line);
                }
            }
        } catch (IOException e) {
            remember("the log ended: " + e.getMessage());
        } finally {
            serverPid.completeExceptionally(new IOException("the shell ended"));
        }
    }

    private void remember(String line) {
        logLock.lock();
        try {
            if (log.size() == LOG_LINES) {
                log.removeFirst();
            }
            log.addLast(line);
        } finally {
            logLock.unlock();
        }
    }
}
