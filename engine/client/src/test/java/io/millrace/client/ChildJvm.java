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

/** Runs a program of these tests in a JVM of its own, with a small heap that it must make do with. */
final class ChildJvm {

    /** How a program ended, and what it said. */
    record Ending(int exit, String output) {}

    private ChildJvm() {}

    /** Runs {@code main} and waits for it; a lack of memory ends it with an exit of its own (3). */
    static Ending run(Class<?> main, int heapMegabytes, Duration patience, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+ExitOnOutOfMemoryError",
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
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
            String said = Files.readString(output, UTF_8);
            System.out.print(said);
            return new Ending(process.exitValue(), said);
        } finally {
            Files.delete(output);
        }
    }
}
