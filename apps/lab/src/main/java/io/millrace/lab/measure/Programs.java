// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds programs, and makes the commands that start JVMs. */
public final class Programs {

    /** System property: more options, separated by spaces, for each JVM that the lab starts. The tests set them. */
    public static final String JVM_OPTIONS = "millrace.lab.jvmOptions";

    private static final int FIRST_JAVA_THAT_WARNS_OF_UNSAFE = 24;

    private Programs() {}

    /** The program {@code name} in the folders of the PATH. */
    public static Optional<Path> find(String name) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(Pattern.quote(File.pathSeparator)))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The top of the source tree above the working directory; empty outside a source tree. */
    public static Optional<Path> sourceTree() {
        return Stream.iterate(Path.of("").toAbsolutePath(), folder -> folder != null, Path::getParent)
                .filter(folder -> Files.isExecutable(folder.resolve("mvnw")))
                .findFirst();
    }

    /**
     * The command that runs {@code main} in a JVM like this one, without the arguments of {@code main}.
     *
     * @param options options of the JVM, such as {@code -Xmx1g}
     * @param jars added to the class path of this JVM
     */
    public static List<String> jvm(Class<?> main, List<String> options, List<Path> jars) {
        var classPath = new StringBuilder(System.getProperty("java.class.path"));
        jars.forEach(jar -> classPath.append(File.pathSeparator).append(jar));
        return jvm(main, options, classPath.toString());
    }

    /** The same with another class path than this JVM has. */
    public static List<String> jvm(Class<?> main, List<String> options, String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        // The standard output is for answers. Warnings of the JVM go to the standard error.
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
        if (Runtime.version().feature() >= FIRST_JAVA_THAT_WARNS_OF_UNSAFE) {
            command.add("--sun-misc-unsafe-memory-access=allow"); // Netty uses Unsafe.
        }
        command.addAll(moreOptions());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        return command;
    }

    /** The options in {@link #JVM_OPTIONS}. */
    public static List<String> moreOptions() {
        return Stream.of(System.getProperty(JVM_OPTIONS, "").split(" "))
                .filter(option -> !option.isEmpty())
                .toList();
    }
}
