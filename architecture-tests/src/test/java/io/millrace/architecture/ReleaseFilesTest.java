// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the files of a release with the modules and the version of the build. */
class ReleaseFilesTest {

    private static final Pattern REVISION = Pattern.compile("<revision>(.+)</revision>");
    private static final Pattern VERSION =
            Pattern.compile("millrace-(?:[a-z-]+(?::|\" % \"|</artifactId>\\s*<version>))?(\\d+\\.\\d+\\.\\d+[-\\w]*)");
    private static final Pattern PART = Pattern.compile("<!-- part of: (\\S+) -->\n```\\w+\n(.*?)```", Pattern.DOTALL);
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(millrace-[a-z-]+)</artifactId>");

    /** The files that name the version, relative to the top of the tree. */
    static List<String> documents() throws IOException {
        Path root = SourceTree.root();
        try (Stream<Path> scripts = Files.list(root.resolve("examples/groovy"))) {
            return Stream.concat(
                            Stream.of(
                                    "README.md",
                                    "docs/install.md",
                                    "docs/groovy.md",
                                    "docs/scala.md",
                                    "docs/spring.md",
                                    "examples/first-project/pom.xml"),
                            scripts.map(script -> root.relativize(script).toString())
                                    .filter(script -> script.endsWith(".groovy"))
                                    .sorted())
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void documentNamesTheVersionOfTheBuild(String document) throws IOException {
        List<String> versions = found(VERSION, text(document)).toList();

        assertThat(versions)
                .isNotEmpty()
                .containsOnly(found(REVISION, text("pom.xml")).findFirst().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/install.md",
                "docs/spark.md",
                "docs/spring.md",
                "docs/coming-from-redistemplate.md"
            })
    void codeInADocumentIsPartOfTheFileThatItNames(String document) {
        List<MatchResult> parts = PART.matcher(text(document)).results().toList();

        assertThat(parts)
                .isNotEmpty()
                .allSatisfy(part ->
                        assertThat(words(text(part.group(1)))).as(part.group(1)).contains(words(part.group(2))));
    }

    /** The text without line breaks and indentation. */
    private static String words(String text) {
        return text.replaceAll("\\s+", " ");
    }

    @Test
    void bomListsThePublishedModules() throws IOException {
        String bom = text("bom/pom.xml");
        String managed = bom.substring(bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>"));

        List<String> published = Stream.of(Module.values())
                .map(module -> text(module.folder() + "/pom.xml"))
                .filter(pom -> pom.contains("<unpublished>false</unpublished>"))
                .map(pom -> found(ARTIFACT, pom.substring(pom.indexOf("</parent>")))
                        .findFirst()
                        .orElseThrow())
                .toList();

        assertThat(found(ARTIFACT, managed))
                .containsExactlyInAnyOrderElementsOf(published)
                .hasSizeGreaterThan(8);
    }

    @Test
    void publishedModulesHaveAnApiFileAndMostHaveAModuleDescriptor() {
        for (Module module : Module.values()) {
            Path folder = SourceTree.root().resolve(module.folder());
            if (text(module.folder() + "/pom.xml").contains("<unpublished>false</unpublished>")) {
                assertThat(Files.exists(folder.resolve("src/main/java/module-info.java")))
                        .as(module.folder())
                        .isEqualTo(module.hasDescriptor());
                assertThat(folder.resolve("api.txt")).exists();
            }
        }
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1));
    }

    private static String text(String file) {
        try {
            return Files.readString(SourceTree.root().resolve(file));
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }
}
