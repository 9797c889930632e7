// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.spring.app.TestApplication;
import io.millrace.testkit.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A {@link TestApplication} as a process. Closing kills the process. */
final class AppProcess implements AutoCloseable {

    /** Long, because a JVM takes long on a busy machine. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** Between two looks at a process. Short against its start, and long enough to leave the CPU to the process. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Process process;
    private final Path output;

    private AppProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts an application without a web server, whose output goes to a new file in {@code folder}. */
    static AppProcess start(Path folder, String... properties) throws IOException {
        return start(folder, Path.of(System.getenv("PATH")), properties);
    }

    /** The same, with a folder of programs that is searched first. */
    static AppProcess start(Path folder, Path programs, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-Dlogging.config=classpath:logback-app.xml",
                "-cp",
                System.getProperty("java.class.path"),
                TestApplication.class.getName()));
        withDefaults(properties).forEach((key, value) -> command.add("--" + key + "=" + value));
        Path output = Files.createTempFile(folder, "app", ".out");
        ProcessBuilder builder = new ProcessBuilder(Processes.withDefaultSignals(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().merge("PATH", programs.toString(), (before, first) -> first + ":" + before);
        return new AppProcess(builder.start(), output);
    }

    private static Map<String, String> withDefaults(String... properties) {
        Map<String, String> all = new LinkedHashMap<>(Map.of(
                "spring.main.banner-mode",
                "off",
                "spring.main.web-application-type",
                "none",
                "spring.docker.compose.enabled",
                "false",
                "spring.autoconfigure.exclude",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                        + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"));
        for (String property : properties) {
            String[] pair = property.split("=", 2);
            all.put(pair[0], pair[1]);
        }
        return all;
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until the output contains {@code text}. */
    void awaitOutput(String text) {
        await(() -> output().contains(text) || !process.isAlive(), "output " + text);
        if (!output().contains(text)) {
            throw new AssertionError("the application ended without the output " + text + ": " + output());
        }
    }

    void await(BooleanSupplier condition, String what) {
        long giveUp = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("timed out: " + what + "; output: " + output());
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Whether the process has {@code file} open. Linux only. */
    boolean hasOpen(Path file) {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return open.anyMatch(link -> isLinkTo(link, file));
        } catch (IOException ended) {
            return false;
        }
    }

    private static boolean isLinkTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file);
        } catch (IOException closed) {
            return false;
        }
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** Sends SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the application did not end: " + output());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
