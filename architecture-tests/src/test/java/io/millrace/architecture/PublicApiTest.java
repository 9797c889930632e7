// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Keeps what a module shows in a file, {@code api.txt}, so that growth is seen in a diff. To write the files anew:
 * {@code ./mvnw -pl architecture-tests -am test -Dtest=PublicApiTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dmillrace.write=true}
 */
class PublicApiTest {

    private static final String HEAD =
            "# Every public type and member of this package. Written by PublicApiTest; its head says how.\n\n";

    @ParameterizedTest
    @EnumSource(names = {"RESP", "CLIENT", "TASKS", "PATTERNS"})
    void thePublicTypesAreThoseOfTheGoldenFile(Module module) throws IOException, ClassNotFoundException {
        Path folder = Tree.root().resolve(module.folder());
        String shown = HEAD + shown(module, folder.resolve("target/classes"));
        Path golden = folder.resolve("api.txt");
        if (Boolean.getBoolean("millrace.write")) {
            Files.writeString(golden, shown);
        }

        assertThat(Files.readString(golden))
                .as("the public API has changed; if that is meant, write api.txt anew as the head of this test says")
                .isEqualTo(shown);
    }

    private static String shown(Module module, Path classes) throws IOException, ClassNotFoundException {
        StringBuilder shown = new StringBuilder();
        for (String root : module.rootPackages()) {
            if (Files.isDirectory(classes.resolve(root.replace('.', '/')))) { // not all patterns exist yet
                shown.append(PublicApi.of(classes, root));
            }
        }
        return shown.toString();
    }
}
