// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.architecture.Comments.Prose;
import io.millrace.architecture.PlainEnglish.Count;
import io.millrace.architecture.PlainEnglish.Form;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlainEnglishTest {

    private static final Path ROOT = SourceTree.root();
    private static final PlainEnglish STYLE = PlainEnglish.of(read(ROOT.resolve("docs/style.md")));

    /** The folders with comments. */
    static Stream<String> folders() {
        return Stream.concat(Stream.of(Module.values()).map(Module::folder), Stream.of("architecture-tests"));
    }

    static List<Form> forms() {
        return STYLE.forms();
    }

    @ParameterizedTest
    @MethodSource("folders")
    void commentsOfEachModuleAreInPlainEnglish(String folder) throws IOException {
        Count count = new Count(0, List.of());
        for (Path file : files(ROOT.resolve(folder).resolve("src"), ".java")) {
            for (Prose comment : Comments.ofJava(read(file))) {
                count = count.plus(STYLE.count(ROOT.relativize(file) + ":" + comment.line(), comment.text()));
            }
        }

        assertPlain(folder, count);
    }

    @Test
    void documentsAreInPlainEnglish() throws IOException {
        Count count = new Count(0, List.of());
        for (Path file : documents()) {
            count = count.plus(STYLE.count(
                    ROOT.relativize(file).toString(),
                    Comments.ofMarkdown(read(file)).text()));
        }

        assertPlain("documents", count);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void eachFormMatchesItsBadExamplesAndNoFormMatchesAGoodExample(Form form) {
        assertThat(form.bad()).isNotEmpty().allMatch(form.pattern().asPredicate());
        assertThat(form.good())
                .hasSameSizeAs(form.bad())
                .allSatisfy(
                        sentence -> assertThat(STYLE.count("", sentence).hits()).isEmpty());
    }

    @Test
    void allFormsOfTheStyleDocumentAreRead() {
        long headings = read(ROOT.resolve("docs/style.md"))
                .lines()
                .filter(line -> line.startsWith("### "))
                .count();

        assertThat(STYLE.forms()).hasSize((int) headings).hasSizeGreaterThan(10);
    }

    @Test
    void commentsAreFoundAndStringLiteralsAreIgnored() {
        String source = """
                // SPDX-License-Identifier: Apache-2.0
                /** Waits for whoever {@link Nobody} is. @param x those who wait */
                class A {
                    String s = "whoever // nobody"; // nobody
                    // is told
                    char c = '"'; /* shall */
                }
                """;

        assertThat(Comments.ofJava(source))
                .containsExactly(
                        new Prose(2, "Waits for whoever X is. . those who wait"),
                        new Prose(4, "nobody is told"),
                        new Prose(6, "shall"));
    }

    @Test
    void textWithTooManyListedFormsExceedsTheLimit() {
        Count count = STYLE.count("A.java:1", "The reply is that of the command. ".repeat(3));

        assertThat(count.words()).isEqualTo(21);
        assertThat(count.hits()).hasSize(3).first().asString().startsWith("A.java:1: That of: ");
        assertThat(count.perThousandWords()).isGreaterThan(PlainEnglish.LIMIT);
    }

    private static void assertPlain(String name, Count count) {
        assertThat(count.words()).as("words of %s", name).isPositive();
        assertThat(count.perThousandWords())
                .as("forms of docs/style.md per 1,000 words of %s:%n%s", name, String.join("\n", count.hits()))
                .isLessThanOrEqualTo(PlainEnglish.LIMIT);
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> top = Files.list(ROOT)) {
            return Stream.concat(
                            top.filter(file -> file.toString().endsWith(".md")),
                            files(ROOT.resolve("docs"), ".md").stream())
                    .filter(file -> !file.endsWith("style.md"))
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
