// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentLinksTest {

    private static final Path ROOT = SourceTree.root();
    private static final Set<String> OTHER_FOLDERS = Set.of("target", ".git", "node_modules");

    /** All Markdown documents of the tree, relative to its top. */
    static List<Path> documents() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .map(ROOT::relativize)
                    .filter(DocumentLinksTest::isOurs)
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void relativeLinksLeadToExistingFilesAndHeadings(Path document) {
        assertThat(DocumentLinks.brokenIn(ROOT.resolve(document))).isEmpty();
    }

    @Test
    void documentsOfAllFoldersAreFound() throws IOException {
        assertThat(documents())
                .contains(Path.of("README.md"), Path.of("docs/delivery.md"), Path.of("examples/README.md"));
    }

    @Test
    void onlyBrokenLinksAreReported(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("other.md"), """
                # A `heading`, with marks

                ```
                # no heading
                ```
                """);
        Path document = folder.resolve("document.md");
        Files.writeString(document, """
                # Here
                [1](other.md) [2](other.md#a-heading-with-marks) [3](#here) [4](https://example.org/x#y)
                [5](missing.md) [6](other.md#no-heading) [7](#there) `[8](code.md)`
                ```
                [9](fence.md)
                ```
                """);

        assertThat(DocumentLinks.brokenIn(document))
                .containsExactly(
                        "missing.md: no such file", "other.md#no-heading: no such heading", "#there: no such heading");
    }

    private static boolean isOurs(Path file) {
        for (Path part : file) {
            if (OTHER_FOLDERS.contains(part.toString())) {
                return false;
            }
        }
        return true;
    }
}
