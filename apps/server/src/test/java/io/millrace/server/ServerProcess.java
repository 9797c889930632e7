// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.testkit.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server as a process, started as the launcher starts it. Closing kills the process. */
final class ServerProcess implements AutoCloseable {

    /** Long, because a JVM takes long on a busy machine. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final Pattern SERVES = Pattern.compile("Millrace serves https?://[^:]+:(\\d+)\\.");

    private final Process process;
    private final Path output;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static ServerProcess start(Path folder, String... arguments) throws IOException {
        return start(folder, Map.of(), arguments);
    }

    /** Starts a server with further variables of the environment. */
    static ServerProcess start(Path folder, Map<String, String> variables, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-Dlogging.config=classpath:logback-process.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Server.class.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "server", ".out");
        ProcessBuilder builder = new ProcessBuilder(Processes.withDefaultSignals(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(variables);
        return new ServerProcess(builder.start(), output);
    }

    String output() throws IOException {
        return Files.readString(output);
    }

    /** Waits until the server listens, and returns its port. */
    int awaitPort() throws IOException {
        long giveUp = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < giveUp && process.isAlive()) {
            Matcher found = SERVES.matcher(output());
            if (found.find()) {
                return Integer.parseInt(found.group(1));
            }
            LockSupport.parkNanos(5_000_000);
        }
        throw new AssertionError("the server does not listen: " + output());
    }

    /** Ends the process as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends the process as Ctrl-C does, and returns its exit code. */
    int stop() throws InterruptedException {
        process.destroy();
        return awaitExit();
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
