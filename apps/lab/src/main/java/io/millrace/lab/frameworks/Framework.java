// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.JvmContender.OwnClassPath;
import io.millrace.lab.measure.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A framework that is not on the class path of the lab. Its programs are in a module of their own, whose build puts all
 * jars into one folder.
 */
enum Framework {
    VERTX("lab-vertx", "io.millrace.labvertx"),
    SPRING("lab-spring", "io.millrace.labspring"),
    HTTP("lab-http", "io.millrace.labhttp");

    private final String module;
    private final String programs;

    Framework(String module, String programs) {
        this.module = module;
        this.programs = programs;
    }

    /** The folder of the jars in the source tree. Outside a source tree, a folder that does not exist. */
    Path jars() {
        return folder("lib");
    }

    /** Another folder that the build of the module makes. */
    Path folder(String name) {
        return Programs.sourceTree()
                .orElse(Path.of(""))
                .resolve(Path.of("apps", module, "target", name))
                .toAbsolutePath();
    }

    /** Why the programs cannot run here; empty if they can. */
    Optional<String> missing(Target target) {
        if (!Files.isDirectory(jars())) {
            return Optional.of("not built: " + jars() + ". Start the lab in the source tree, with ./millrace lab.");
        }
        boolean isPlain = target.certificate().isEmpty() && target.socket().isEmpty();
        return this == VERTX || isPlain
                ? Optional.empty()
                : Optional.of("the applications with Spring Boot connect over TCP without TLS. Name such a server.");
    }

    /**
     * A contender whose work is the class {@code program} of the module.
     *
     * @param settings argument of the constructor of the class
     */
    JvmContender contender(Description description, String program, Object settings, List<String> jvmOptions) {
        return contender(description, program, settings, jvmOptions, List.of());
    }

    /** The same, with the jars of further folders that the build of the module makes. */
    JvmContender contender(
            Description description,
            String program,
            Object settings,
            List<String> jvmOptions,
            List<String> moreFolders) {
        var folders = Stream.concat(Stream.of(jars()), moreFolders.stream().map(this::folder))
                .toList();
        return new JvmContender(
                description,
                new ProgramWork(programs + "." + program, settings),
                jvmOptions,
                this::missing,
                Optional.of(new OwnClassPath(FrameworkWorker.class, folders)));
    }
}
