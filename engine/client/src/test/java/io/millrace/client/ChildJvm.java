// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of these tests in a separate JVM with a small heap. */
final class ChildJvm {

    /** The exit status and the output of a program. */
    record ProcessExit(int exit, String output) {}

    private ChildJvm() {}

    /**
     * Runs {@code main} and waits until the program ends. After {@code timeout} the program is killed. An
     * {@link OutOfMemoryError} ends the program with exit status 3.
     */
    static ProcessExit run(Class<?> main, int heapMegabytes, Duration timeout, String... arguments)
            throws IOException, InterruptedException {
        return run("-XX:+ExitOnOutOfMemoryError", main, heapMegabytes, timeout, arguments);
    }

    /** Same as {@link #run}, but an {@link OutOfMemoryError} does not end the program. */
    static ProcessExit runWithoutExit(Class<?> main, int heapMegabytes, Duration timeout, String... arguments)
            throws IOException, InterruptedException {
        return run("-XX:-ExitOnOutOfMemoryError", main, heapMegabytes, timeout, arguments);
    }

    private static ProcessExit run(
            String option, Class<?> main, int heapMegabytes, Duration timeout, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                option,
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("millrace-child", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(output, UTF_8);
            System.out.print(text);
            return new ProcessExit(process.exitValue(), text);
        } finally {
            Files.delete(output);
        }
    }
}
