// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.Polling;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A driver in a separate JVM. Its installation of Spark is a folder with links to the jars of the tests. The executors write
 * their logs to the same folder.
 *
 * @param log the output of the driver
 */
record SparkProcess(Process process, Path log) implements AutoCloseable {

    /**
     * Starts {@code main} with {@code arguments}.
     *
     * @param folder working directory, and the folder for the logs and for the installation
     */
    static SparkProcess start(Class<?> main, Path folder, String... arguments) throws IOException {
        Path log = folder.resolve("driver.log");
        Path home = folder.resolve("spark-home");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().trim().split("\\s+", -1)));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath(home), main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.directory(folder.toFile());
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        return new SparkProcess(builder.start(), log);
    }

    /** Links the jars into the installation of Spark. Returns a class path of the jars and the classes of this module. */
    private static String classPath(Path home) throws IOException {
        Path jars = Files.createDirectories(home.resolve("jars"));
        List<String> own = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry).toAbsolutePath();
            if (Files.isDirectory(path)) {
                own.add(path.toString());
            } else if (Files.exists(path)) {
                Path link = jars.resolve(path.getFileName());
                if (!Files.exists(link)) {
                    Files.createSymbolicLink(link, path);
                }
            }
        }
        return String.join(File.pathSeparator, own) + File.pathSeparator + jars + File.separator + "*";
    }

    /** Waits until {@code reached} is true. Fails if the driver ends before that. */
    void await(BooleanSupplier reached, Duration timeout) throws IOException {
        boolean ended = !Polling.until(() -> reached.getAsBoolean() || !process.isAlive(), timeout);
        assertThat(ended || !reached.getAsBoolean()).as(Files.readString(log)).isFalse();
    }

    /** Ends the driver and its executors. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
