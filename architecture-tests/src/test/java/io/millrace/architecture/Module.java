// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.util.Set;
import java.util.stream.Stream;

/**
 * The modules, and the allowed dependencies between the modules.
 *
 * <p>Indirect dependencies are listed, too. For example, each module that uses the client also lists {@code resp},
 * because the API of the client contains types of {@code resp}. A new dependency is a decision about the architecture.
 * Add it here.
 */
enum Module {
    RESP("engine/resp", "io.millrace.resp"),
    CLIENT("engine/client", "io.millrace.client"),
    TASKS("engine/tasks", "io.millrace.tasks"),
    LOAD("load", "io.millrace.load"),
    CACHE("patterns/cache", "io.millrace.cache"),
    QUEUE("patterns/queue", "io.millrace.queue"),
    BITMAP("patterns/bitmap", "io.millrace.bitmap"),
    PACKED("patterns/packed", "io.millrace.packed"),
    MICROMETER("integrations/micrometer", "io.millrace.micrometer"),
    VERTX("integrations/vertx", "io.millrace.vertx"),
    SPARK("integrations/spark", "io.millrace.spark"),
    SPRING("integrations/spring-boot-starter", "io.millrace.spring"),
    EMBEDDED("embedded", "io.millrace.embedded"),
    TESTKIT("testkit", "io.millrace.testkit"),
    BROWSER_TESTKIT("apps/browser-testkit", "io.millrace.browsertestkit"),
    CLI("apps/cli", "io.millrace.cli"),
    LAB("apps/lab", "io.millrace.lab"),
    LAB_VERTX("apps/lab-vertx", "io.millrace.labvertx"),
    LAB_SPRING("apps/lab-spring", "io.millrace.labspring"),
    LAB_HTTP("apps/lab-http", "io.millrace.labhttp"),
    SERVER("apps/server", "io.millrace.server"),
    EXAMPLES("examples", "io.millrace.examples");

    private final String folder;
    private final String rootPackage;

    Module(String folder, String rootPackage) {
        this.folder = folder;
        this.rootPackage = rootPackage;
    }

    /** The root package of this module. Every other package of this module is below the root package. */
    String rootPackage() {
        return rootPackage;
    }

    /** Whether the package {@code name} belongs to this module. */
    boolean has(String name) {
        return name.equals(rootPackage) || name.startsWith(rootPackage + ".");
    }

    /** The folder of this module, relative to the top of the tree. */
    String folder() {
        return folder;
    }

    String artifactId() {
        return "millrace-" + folder.substring(folder.lastIndexOf('/') + 1);
    }

    /** The packages of this module in the notation of ArchUnit. */
    String packages() {
        return rootPackage + "..";
    }

    /**
     * The packages of this module and of its dependencies, in the notation of ArchUnit. The module may use only these.
     */
    String[] allowedPackages() {
        return Stream.concat(Stream.of(this), dependencies())
                .map(Module::packages)
                .toArray(String[]::new);
    }

    /** The artifacts that this module may depend on at run time. */
    Set<String> allowedArtifacts() {
        return Set.copyOf(dependencies().map(Module::artifactId).toList());
    }

    /** Whether this module is published for users. If so, it has a golden file of its public API. */
    boolean isPublished() {
        return switch (this) {
            case RESP, CLIENT, TASKS, LOAD, CACHE, QUEUE, BITMAP, PACKED, MICROMETER, VERTX, SPARK, SPRING, EMBEDDED ->
                true;
            case TESTKIT, BROWSER_TESTKIT, CLI, LAB, LAB_VERTX, LAB_SPRING, LAB_HTTP, SERVER, EXAMPLES -> false;
        };
    }

    /**
     * Whether this module has a module descriptor. Applications of Spring Boot and of Spark run from a class path, so the
     * starter and the connector have none.
     */
    boolean hasDescriptor() {
        return isPublished() && this != SPRING && this != SPARK;
    }

    private Stream<Module> dependencies() {
        return switch (this) {
            case RESP, TASKS, EMBEDDED, TESTKIT -> Stream.of();
            case CLIENT -> Stream.of(RESP);
            case BROWSER_TESTKIT -> Stream.of(TESTKIT);
            case LOAD, CACHE, QUEUE, BITMAP, PACKED, VERTX -> Stream.of(RESP, CLIENT);
            case SPARK -> Stream.of(RESP, CLIENT, LOAD);
            case MICROMETER -> Stream.of(RESP, CLIENT, LOAD, CACHE);
            case SPRING -> Stream.of(RESP, CLIENT, LOAD, CACHE, MICROMETER);
            case EXAMPLES -> Stream.of(RESP, CLIENT, TASKS, LOAD, CACHE, QUEUE, BITMAP, PACKED, MICROMETER, VERTX);
            case CLI -> Stream.of(RESP, CLIENT, LOAD, QUEUE, BITMAP, EMBEDDED);
            case SERVER -> Stream.of(RESP, CLIENT, LOAD, CACHE, BITMAP, MICROMETER, SPRING, EMBEDDED);
            case LAB -> Stream.of(RESP, CLIENT, TASKS, LOAD, CACHE, QUEUE, BITMAP, MICROMETER, EMBEDDED);
            case LAB_VERTX -> Stream.of(RESP, CLIENT, VERTX, LAB);
            case LAB_SPRING -> Stream.of(RESP, CLIENT, LOAD, SPRING, LAB);
            case LAB_HTTP -> Stream.of(RESP, CLIENT, CACHE, BITMAP, LAB, SERVER);
        };
    }
}
