// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.launcher.JavaModuleOptions;

/** Starts a driver in a separate JVM. A folder with links to the jars of the tests is its installation of Spark. */
final class SparkProcess {

    private SparkProcess() {}

    /**
     * Runs {@code main} with {@code arguments}, and waits for its end.
     *
     * @param folder working directory, and the folder for the log of the driver
     */
    static void run(Class<?> main, Path folder, String... arguments) throws IOException, InterruptedException {
        Path home = Path.of("target/spark-home").toAbsolutePath();
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
        Path log = folder.resolve("driver.log");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().trim().split("\\s+", -1)));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
        command.add(String.join(File.pathSeparator, own) + File.pathSeparator + jars + File.separator + "*");
        command.add(main.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.directory(folder.toFile());
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(30, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
