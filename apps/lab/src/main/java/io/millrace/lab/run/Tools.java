// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Programs of the machine that the lab measures or measures with. */
public final class Tools {

    /** System property: more options, separated by spaces, for each JVM that {@link #jvm} starts. Tests set it. */
    public static final String JVM_OPTIONS = "millrace.lab.jvmOptions";

    /**
     * System property: {@code true} keeps the JVMs of contenders after a run and gives them to the next run. Tests set
     * it.
     */
    public static final String KEEP_JVMS = "millrace.lab.keepJvms";

    private static final int FIRST_THAT_WARNS_OF_UNSAFE = 24;

    /** The program called {@code name} in the folders of the PATH. */
    public static Optional<Path> find(String name) {
        var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(Pattern.quote(File.pathSeparator)))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Why what {@code name}, one of Redis' own tools, does cannot be measured; empty if it is there. */
    public static Optional<String> missingRedisTool(String name) {
        return find(name).isPresent() ? Optional.empty() : Optional.of(notThere(List.of(name)));
    }

    /**
     * Checks that the server and its command line client are there, and returns the server.
     *
     * @throws LabException naming what is missing and what to install
     */
    public static Path requireRedis() {
        require(List.of("redis-server", "redis-cli"));
        return find("redis-server").orElseThrow();
    }

    static void require(List<String> names) {
        var missing = names.stream().filter(name -> find(name).isEmpty()).toList();
        if (!missing.isEmpty()) {
            throw new LabException(notThere(missing));
        }
    }

    private static String notThere(List<String> names) {
        return "not on the PATH: " + String.join(", ", names)
                + ". Install Redis with its tools (Debian and Ubuntu: apt install redis-server redis-tools).";
    }

    /**
     * Runs {@code command}, untimed, with its output in {@code output}.
     *
     * @throws LabException with that output if it does not end with 0
     */
    public static void run(List<String> command, Path output) {
        run(command, Map.of(), output);
    }

    /** The same with variables beside those of this process. */
    public static void run(List<String> command, Map<String, String> environment, Path output) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            var process = builder.start();
            if (process.waitFor() != 0) {
                throw new LabException(command.getFirst() + " failed: exit=" + process.exitValue() + ", command="
                        + String.join(" ", command) + ", said="
                        + Files.readString(output).strip());
            }
        } catch (IOException e) {
            throw new LabException(command.getFirst() + " cannot be run: cause=" + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while " + command.getFirst() + " was running", e);
        }
    }

    /** The command that runs {@code main} in a JVM like this one, whose standard output is for answers alone. */
    public static List<String> jvm(Class<?> main, List<String> options) {
        var command = new ArrayList<>(List.of(java(), "--enable-native-access=ALL-UNNAMED"));
        // Warnings of a JVM belong on its standard error.
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
        if (Runtime.version().feature() >= FIRST_THAT_WARNS_OF_UNSAFE) {
            // Netty uses it, and the warning is no news to whoever measures.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(moreOptions());
        command.addAll(options);
        command.addAll(List.of("-cp", classPathText(), main.getName()));
        return command;
    }

    /** The options in {@link #JVM_OPTIONS}. */
    public static List<String> moreOptions() {
        return Stream.of(System.getProperty(JVM_OPTIONS, "").split(" "))
                .filter(option -> !option.isEmpty())
                .toList();
    }

    /** The java program that runs this JVM. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The class path of this JVM, which contenders get too. */
    public static String classPathText() {
        return System.getProperty("java.class.path");
    }

    /** Its entries. */
    public static List<Path> classPath() {
        return Stream.of(classPathText().split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .toList();
    }

    private Tools() {}
}
