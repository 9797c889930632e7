// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.ProcessContender.Ended;
import io.millrace.lab.measure.Programs;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds and runs programs that the lab compares or needs, and reads their output. */
public final class ExternalPrograms {

    static final String CLASS_PATH = System.getProperty("java.class.path");

    private static final Pattern FIGURE = Pattern.compile("(\\w+)=([\\d.]+)");

    /** Why the program {@code name} cannot run; empty if the program is installed. */
    public static Optional<String> missing(String name, String howToInstall) {
        return Programs.find(name).isPresent()
                ? Optional.empty()
                : Optional.of("not on the PATH: " + name + ". Install " + howToInstall + ".");
    }

    /** The launcher {@code millrace} of the source tree above the working directory; empty outside a source tree. */
    public static Optional<Path> launcher() {
        return Programs.sourceTree().map(folder -> folder.resolve("millrace")).filter(Files::isExecutable);
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * Runs {@code command}; not measured.
     *
     * @param output file for what the program prints
     * @throws LabException if the exit code is not 0
     */
    static void run(List<String> command, Map<String, String> environment, Path output) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            if (process.waitFor() != 0) {
                throw new LabException("a program failed: exit=" + process.exitValue() + ", command="
                        + String.join(" ", command) + ", output="
                        + Files.readString(output).strip());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while a program was running: command=" + command.getFirst(), e);
        }
    }

    /** The figures that a program has printed as {@code name=value}. */
    static Map<String, Double> figures(String output) {
        return FIGURE.matcher(output)
                .results()
                .collect(Collectors.toMap(match -> match.group(1), match -> Double.parseDouble(match.group(2))));
    }

    /** An error with the exit code and the output of a program. */
    public static LabException failure(String what, Ended ended) {
        return new LabException(message(what, ended));
    }

    static LabException failure(String what, Ended ended, Throwable cause) {
        return new LabException(message(what, ended), cause);
    }

    private static String message(String what, Ended ended) {
        return what + ": exit=" + ended.exitCode() + ", output="
                + (ended.errors() + " " + ended.output()).strip().replace('\n', ' ');
    }

    private ExternalPrograms() {}
}
