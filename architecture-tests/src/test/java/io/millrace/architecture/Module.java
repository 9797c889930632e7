// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.util.Set;
import java.util.stream.Stream;

/**
 * The modules and the only edges between them.
 *
 * <p>An edge is written down with what lies behind it: who knows the client sees the replies of {@code resp} in its types. A
 * new edge is a decision about the architecture: it is made here, in the open.
 */
enum Module {
    RESP("engine/resp", "io.millrace.resp"),
    CLIENT("engine/client", "io.millrace.client"),
    TASKS("engine/tasks", "io.millrace.tasks"),
    LOAD("load", "io.millrace.load"),
    EMBEDDED("embedded", "io.millrace.embedded"),
    TESTKIT("testkit", "io.millrace.testkit"),
    CLI("apps/cli", "io.millrace.cli"),
    LAB("apps/lab", "io.millrace.lab"),
    EXAMPLES("examples", "io.millrace.examples");

    private final String folder;
    private final String rootPackage;

    Module(String folder, String rootPackage) {
        this.folder = folder;
        this.rootPackage = rootPackage;
    }

    String rootPackage() {
        return rootPackage;
    }

    String folder() {
        return folder;
    }

    String artifactId() {
        return rootPackage.replace("io.millrace.", "millrace-");
    }

    /** Its packages in the notation of ArchUnit. */
    String packages() {
        return rootPackage + "..";
    }

    /** The packages it may use: its own, and those of the modules it may know. */
    String[] packagesItMayKnow() {
        return Stream.concat(Stream.of(this), known()).map(Module::packages).toArray(String[]::new);
    }

    /** The artifacts it may depend on at run time. */
    Set<String> artifactsItMayKnow() {
        return Set.copyOf(known().map(Module::artifactId).toList());
    }

    private Stream<Module> known() {
        return switch (this) {
            case RESP, TASKS, EMBEDDED -> Stream.of();
            case CLIENT, TESTKIT -> Stream.of(RESP);
            case LOAD -> Stream.of(RESP, CLIENT, TASKS);
            case EXAMPLES -> Stream.of(RESP, CLIENT, TASKS);
            case CLI -> Stream.of(RESP, CLIENT, LOAD, EMBEDDED);
            case LAB -> Stream.of(RESP, CLIENT, TASKS, LOAD, EMBEDDED);
        };
    }
}
