// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A {@code redis-server} of the machine, on a free port of loopback, without persistence. Ends with this JVM. Used by
 * one thread.
 */
final class ServerProcess implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    private final Process process;
    private final EndWithJvm end;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
        this.end = EndWithJvm.doing(process::destroyForcibly);
    }

    /** Starts {@code program} with its log in {@code folder}; returns when it answers. */
    static ServerProcess start(Path program, Path folder) {
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
            var server = new ServerProcess(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("redis-server.log").toFile())
                            .start(),
                    port);
            server.awaitAnswer();
            return server;
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

    private void awaitAnswer() {
        long deadlineNanos = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            try (var jedis = new Jedis("127.0.0.1", port)) {
                if (jedis.info("server").contains("process_id:" + process.pid() + "\r\n")) {
                    return;
                }
                throw new JedisException("another server answers on this port");
            } catch (JedisException e) {
                if (System.nanoTime() > deadlineNanos || ended(Duration.ofMillis(50))) {
                    close();
                    throw new LabException(
                            "redis-server does not answer: port=" + port + ". Start it by hand to see why.", e);
                }
            }
        }
    }

    int port() {
        return port;
    }

    private boolean ended(Duration within) {
        try {
            return process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public void close() {
        process.destroy();
        if (!ended(Duration.ofSeconds(10))) {
            process.destroyForcibly();
        }
        end.callOff();
    }
}
