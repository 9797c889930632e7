// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.util.List;
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
    PATTERNS("patterns", "io.millrace.queue", "io.millrace.cache", "io.millrace.bitmap", "io.millrace.packed"),
    EMBEDDED("embedded", "io.millrace.embedded"),
    TESTKIT("testkit", "io.millrace.testkit"),
    CLI("apps/cli", "io.millrace.cli"),
    LAB("apps/lab", "io.millrace.lab"),
    EXAMPLES("examples", "io.millrace.examples");

    private final String folder;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> rootPackages;

    Module(String folder, String... rootPackages) {
        this.folder = folder;
        this.rootPackages = List.of(rootPackages);
    }

    /** One, but for the patterns: those are for different users, and know nothing of one another. */
    List<String> rootPackages() {
        return rootPackages;
    }

    /** Whether the package {@code name} is one of its own. */
    boolean has(String name) {
        return rootPackages.stream().anyMatch(root -> name.equals(root) || name.startsWith(root + "."));
    }

    String folder() {
        return folder;
    }

    String artifactId() {
        return "millrace-" + folder.substring(folder.lastIndexOf('/') + 1);
    }

    /** Its packages in the notation of ArchUnit. */
    String[] packages() {
        return rootPackages.stream().map(root -> root + "..").toArray(String[]::new);
    }

    /** The packages it may use: its own, and those of the modules it may know. */
    String[] packagesItMayKnow() {
        return Stream.concat(Stream.of(this), known())
                .flatMap(module -> Stream.of(module.packages()))
                .toArray(String[]::new);
    }

    /** The artifacts it may depend on at run time. */
    Set<String> artifactsItMayKnow() {
        return Set.copyOf(known().map(Module::artifactId).toList());
    }

    private Stream<Module> known() {
        return switch (this) {
            case RESP, TASKS, EMBEDDED -> Stream.of();
            case CLIENT, TESTKIT -> Stream.of(RESP);
            case LOAD, PATTERNS -> Stream.of(RESP, CLIENT, TASKS);
            case EXAMPLES -> Stream.of(RESP, CLIENT, TASKS, LOAD, PATTERNS);
            case CLI -> Stream.of(RESP, CLIENT, LOAD, EMBEDDED);
            case LAB -> Stream.of(RESP, CLIENT, TASKS, LOAD, PATTERNS, EMBEDDED);
        };
    }
}
