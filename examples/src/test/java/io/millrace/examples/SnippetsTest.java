// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the code in the documents matches the examples. To update the documents: {@code ./mvnw -pl examples -am
 * test -Dtest=SnippetsTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true}
 */
class SnippetsTest {

    private static final Snippets EXAMPLES = new Snippets(
            List.of(
                    Path.of("src/main/java/io/millrace/examples"),
                    Path.of("spring/src/main/java/io/millrace/examples/spring")),
            Path.of("groovy"),
            Path.of("scala/src/main/scala/io/millrace/examples/effect"));

    private static final Pattern MARKER = Pattern.compile("<!-- snippet: (\\S+) ");

    static List<String> documents() {
        return List.of(
                "docs/client.md",
                "docs/data-types.md",
                "docs/delivery.md",
                "docs/tasks.md",
                "docs/queues.md",
                "docs/packed.md",
                "docs/cache.md",
                "docs/bitmaps.md",
                "docs/groovy.md",
                "docs/scala.md",
                "docs/vertx.md",
                "docs/spring.md",
                "docs/coming-from-redistemplate.md",
                "docs/metrics.md");
    }

    @ParameterizedTest
    @MethodSource("documents")
    void snippetsInDocumentsMatchTheExamples(String document) throws IOException {
        Path file = Path.of("..").resolve(document);
        String renewed = EXAMPLES.renew(Snippets.read(file));
        if (Boolean.getBoolean("millrace.write")) {
            Files.writeString(file, renewed);
        }

        assertThat(Snippets.read(file))
                .as(document + " is out of date; the javadoc of this test shows how to update the document")
                .isEqualTo(renewed);
        assertThat(Snippets.count(renewed)).isPositive();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void documentLinksTheCompleteProgramOfEachSnippet(String document) throws IOException {
        String text = Snippets.read(Path.of("..").resolve(document));

        assertThat(MARKER.matcher(text).results().map(marker -> "/" + marker.group(1) + ")"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(text).contains(link));
    }

    @Test
    void onlyTheContentOfTheCodeFenceIsReplaced() {
        String stale = """
                before
                <!-- snippet: FireAndForget.java refuse -->
                ```java
                whatever();
                ```
                after
                ```java
                another();
                ```
                """;

        String renewed = EXAMPLES.renew(stale);

        assertThat(renewed)
                .startsWith("before\n<!-- snippet: FireAndForget.java refuse -->\n```java\nreturn ClientOptions")
                .contains("\n        .overflow(Overflow.REFUSE)")
                .endsWith(".build();\n```\nafter\n```java\nanother();\n```\n")
                .doesNotContain("whatever", "// end");
        assertThat(EXAMPLES.renew(renewed)).isEqualTo(renewed);
    }

    @Test
    void exceptionForAMissingSnippetContainsItsName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EXAMPLES.renew("<!-- snippet: Batch.java batches -->\n```java\n```\n"))
                .withMessageContaining("file=Batch.java, name=batches");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!-- snippet: Batch.java batch -->\ntext\n```java\n```\n",
                "<!-- snippet: Batch.java batch -->\n```groovy\n```\n",
                "<!-- snippet: Pool.groovy step -->\n```java\n```\n",
                "<!-- snippet: EffectsAndStreams.scala stream -->\n```java\n```\n"
            })
    void snippetMarkerWithoutACodeFenceOfItsLanguageIsRejected(String document) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EXAMPLES.renew(document))
                .withMessageContaining("marker");
    }
}
