// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The command line of a Java process with the class path of this process. */
final class JavaCommand {

    private JavaCommand() {}

    static List<String> of(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(classPath());
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns the class path elements that exist. Surefire adds elements that do not exist. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> new File(entry).exists())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
