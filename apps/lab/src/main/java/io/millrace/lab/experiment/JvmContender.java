// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.client.Target;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A contender that runs in a separate JVM. The JVM stays for all rounds of one fork.
 *
 * @param work opened in the JVM of the contender
 * @param jvmOptions options of this JVM, such as {@code -Xmx1g}
 * @param missingHere see {@link Contender#missing}
 * @param classPath the class path of the JVM, if it is not that of the lab
 */
public record JvmContender(
        Description description,
        Work work,
        List<String> jvmOptions,
        Function<Target, Optional<String>> missingHere,
        Optional<OwnClassPath> classPath)
        implements Contender {

    /**
     * A class path that also has the classes of the lab's experiments.
     *
     * @param main calls {@code WorkerJvm.serve}
     * @param folders the folders of all jars
     */
    public record OwnClassPath(Class<?> main, List<Path> folders) {

        public OwnClassPath {
            folders = List.copyOf(folders);
        }

        /** The class path as Java reads a class path. */
        public String text() {
            return folders.stream().map(folder -> folder + "/*").collect(Collectors.joining(File.pathSeparator));
        }
    }

    public JvmContender {
        jvmOptions = List.copyOf(jvmOptions);
    }

    public JvmContender(Description description, Work work) {
        this(description, work, List.of(), target -> Optional.empty());
    }

    public JvmContender(
            Description description,
            Work work,
            List<String> jvmOptions,
            Function<Target, Optional<String>> missingHere) {
        this(description, work, jvmOptions, missingHere, Optional.empty());
    }

    /** The same contender, whose figures cannot be compared because of {@code reason}. */
    public JvmContender unfair(String reason) {
        return new JvmContender(description.withUnfair(reason), work, jvmOptions, missingHere, classPath);
    }

    /** The same contender, whose figures are shown and not compared. */
    public JvmContender asReference() {
        return new JvmContender(description.asReference(), work, jvmOptions, missingHere, classPath);
    }

    /** The same contender, which also takes no part if there is a {@code reason}. */
    public JvmContender missingIf(Function<Target, Optional<String>> reason) {
        return new JvmContender(
                description,
                work,
                jvmOptions,
                target -> missingHere.apply(target).or(() -> reason.apply(target)),
                classPath);
    }

    @Override
    public Optional<String> missing(Target target) {
        return missingHere.apply(target);
    }
}
