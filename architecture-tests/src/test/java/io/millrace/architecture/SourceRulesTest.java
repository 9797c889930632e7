// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceRulesTest {

    private static final SourceRules TREE = new SourceRules(SourceTree.root());

    @Test
    void everySourceFileHasTheLicenceLine() {
        assertThat(TREE.withoutLicence()).isEmpty();
    }

    @Test
    void noFileContainsPathsOfAMachineOrHostsOfRegistries() {
        assertThat(TREE.machineNames()).isEmpty();
    }

    @Test
    void engineContainsNoSynchronizedBlocks() {
        assertThat(TREE.monitorsInTheEngine()).isEmpty();
    }

    @Test
    void violationsAreReported(@TempDir Path directory) throws IOException {
        write(directory.resolve("A.java"), "package a;\n");
        write(directory.resolve("B.scala"), "package b\n");
        write(
                directory.resolve("docs/b.md"),
                "see /" + "home/somebody\nfrom repo." + "maven.apache.org\nan http://a/home/b\n");
        write(directory.resolve("mvnw"), "repo." + "maven.apache.org\n");
        write(
                directory.resolve("engine/client/src/main/java/C.java"),
                SourceRules.LICENCE_LINE + "\n// synchronized (no)\n  synchronized (this) {\n");
        write(directory.resolve("engine/client/target/D.java"), "package d;\n");
        SourceRules rules = new SourceRules(directory);

        assertThat(rules.withoutLicence()).containsExactly("A.java", "B.scala");
        assertThat(rules.machineNames()).hasSize(2).allMatch(line -> line.startsWith("docs/b.md: "));
        assertThat(rules.monitorsInTheEngine()).containsExactly("engine/client/src/main/java/C.java: synchronized (");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
