// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts the lab as its archive does: from a folder whose jars name no other jars. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LauncherOfTheArchiveTest {

    private static final Path REPOSITORY = Path.of("../..");

    @TempDir
    private Path folder;

    @Test
    void launcherStartsTheLabWithAllJarsOfItsFolder() throws Exception {
        Path home = folder.resolve("my lab");
        Path program = copy("dist/bin/millrace-lab", home.resolve("bin/millrace-lab"));
        copy(".mvn/java.sh", home.resolve("lib/java.sh"));
        List<String> classPath = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        for (int i = 0; i < classPath.size(); i++) {
            putJar(Path.of(classPath.get(i)), home.resolve("lib/" + i + ".jar"));
        }
        Path errors = folder.resolve("errors");
        ProcessBuilder command = new ProcessBuilder("sh", program.toString(), "list").redirectError(errors.toFile());
        command.environment().put("JAVA_HOME", System.getProperty("java.home"));

        Process lab = command.start();
        String list = new String(lab.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(lab.waitFor()).as(Files.readString(errors)).isZero();
        assertThat(list).contains("recovery  Recovery.", "cut: All connections are reset");
    }

    /** With a class path, the programs of frameworks would meet the libraries of the lab. */
    @Test
    void jarNamesNoClassPath() {
        assertThat(Path.of("pom.xml")).content().doesNotContain("addClasspath", "<mainClass>", "Class-Path");
    }

    private static Path copy(String file, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        return Files.copy(REPOSITORY.resolve(file), target);
    }

    /** Copies a jar of the class path, or makes a jar of a folder with classes. */
    private static void putJar(Path source, Path jar) throws IOException {
        if (Files.isRegularFile(source)) {
            Files.copy(source, jar);
        } else if (Files.isDirectory(source)) {
            try (OutputStream file = Files.newOutputStream(jar);
                    var output = new JarOutputStream(file, new Manifest());
                    Stream<Path> files = Files.walk(source)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    output.putNextEntry(new JarEntry(source.relativize(each).toString()));
                    Files.copy(each, output);
                }
            }
        }
    }
}
