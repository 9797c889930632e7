// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.embedded.ServerBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A real server that can be killed and started again on the same port, with the data of its folder. */
final class RestartableRedis implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(1);

    private final Path folder;
    private final Path binary;
    private final int port;
    private Process server;

    private RestartableRedis(Path folder, List<String> arguments) {
        this.folder = folder;
        this.binary = ServerBinary.any()
                .resolve(folder)
                .orElseThrow(() -> new AssertionError("no server binary for this machine"));
        this.port = freePort();
        this.server = begin(arguments);
        awaitListening();
    }

    /** Starts a server that keeps its data in {@code folder}. */
    static RestartableRedis start(Path folder, String... arguments) {
        return new RestartableRedis(folder, withoutSnapshots(arguments));
    }

    /** Starts a Sentinel, which keeps its state in the file {@code config}. */
    static RestartableRedis startSentinel(Path folder, Path config) {
        return new RestartableRedis(folder, List.of(config.toString(), "--sentinel"));
    }

    /** Starts the killed server again. Blocks until the server accepts connections; it may still load its data. */
    void startAgain(String... arguments) {
        server = begin(withoutSnapshots(arguments));
        awaitListening();
    }

    /** Kills the server with SIGKILL, and waits until it has ended. */
    void kill() {
        try {
            server.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    ClientOptions options() {
        return ClientOptions.builder(RedisUri.of("127.0.0.1", port))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }

    private static List<String> withoutSnapshots(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--save", ""));
        return all;
    }

    private Process begin(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(binary.toString());
        // The name of a file must be the first argument.
        command.addAll(arguments);
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("server.log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitListening() {
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (!isListening()) {
            if (!server.isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("the server does not listen: log=" + folder.resolve("server.log"));
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
