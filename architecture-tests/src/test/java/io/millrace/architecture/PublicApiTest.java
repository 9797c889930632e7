// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the public API of each module with its golden file {@code api.txt}, so that a change of the API shows in a
 * diff. To update the files, run {@code ./mvnw -pl architecture-tests -am test -Dtest=PublicApiTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true}
 */
class PublicApiTest {

    private static final String HEAD =
            "# All public types and members of the exported packages. Written by PublicApiTest; its javadoc says how.\n\n";

    @ParameterizedTest
    @MethodSource("publishedModules")
    void publicApiMatchesTheGoldenFile(Module module) throws IOException, ClassNotFoundException {
        Path folder = SourceTree.root().resolve(module.folder());
        String actual = HEAD + describe(module, folder.resolve("target/classes"));
        Path golden = folder.resolve("api.txt");
        if (Boolean.getBoolean("millrace.write")) {
            Files.writeString(golden, actual);
        }

        assertThat(Files.readString(golden))
                .as("the public API has changed; if intended, update api.txt as the javadoc of PublicApiTest says")
                .isEqualTo(actual);
    }

    static Stream<Module> publishedModules() {
        return Stream.of(Module.values()).filter(Module::isPublished);
    }

    /**
     * The packages that the module exports to all modules, not only to some named modules. A module without a descriptor
     * has one package.
     */
    private static List<String> exportedPackages(Module module, Path classes) throws IOException {
        if (!module.hasDescriptor()) {
            return List.of(module.rootPackage());
        }
        try (InputStream descriptor = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(descriptor).exports().stream()
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .sorted()
                    .toList();
        }
    }

    private static String describe(Module module, Path classes) throws IOException, ClassNotFoundException {
        StringBuilder text = new StringBuilder();
        for (String name : exportedPackages(module, classes)) {
            text.append("== ")
                    .append(name)
                    .append("\n\n")
                    .append(PublicApi.of(classes, name))
                    .append('\n');
        }
        return text.toString();
    }
}
