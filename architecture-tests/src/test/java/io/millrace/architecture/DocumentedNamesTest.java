// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The names of threads, events and steps in the sources of the cache, and of all locks of the libraries, are in the documents
 * that list all of them.
 */
class DocumentedNamesTest {

    private static final Path ROOT = SourceTree.root();
    private static final Path SOURCES = ROOT.resolve("patterns/cache/src/main/java");

    /** The names that {@code pattern} finds in the sources, in its first group. */
    private static Set<String> names(String pattern) throws IOException {
        Pattern compiled = Pattern.compile(pattern);
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                compiled.matcher(Files.readString(file)).results().forEach(found -> names.add(found.group(1)));
            }
        }
        return names;
    }

    /** The locks of the engine, the patterns and the integrations, as {@code Class.field}. */
    private static Set<String> locks() throws IOException {
        Pattern field = Pattern.compile("ReentrantLock (\\w+) = new");
        Set<String> locks = new TreeSet<>();
        for (String part : List.of("engine", "patterns", "integrations")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(part))) {
                for (Path file :
                        files.filter(DocumentedNamesTest::isProductionCode).toList()) {
                    String type = file.getFileName().toString().replace(".java", "");
                    field.matcher(Files.readString(file))
                            .results()
                            .forEach(found -> locks.add(type + "." + found.group(1)));
                }
            }
        }
        return locks;
    }

    private static boolean isProductionCode(Path file) {
        String path = ROOT.relativize(file).toString().replace('\\', '/');
        return path.endsWith(".java") && path.contains("/src/main/");
    }

    private static List<String> rows(String document, String begin) throws IOException {
        return Files.readAllLines(ROOT.resolve(document)).stream()
                .filter(line -> line.startsWith(begin))
                .toList();
    }

    @Test
    void eachThreadOfACacheHasARow() throws IOException {
        Set<String> threads = names("\"(millrace-cache-[a-z]+)\"");

        assertThat(threads).hasSizeGreaterThanOrEqualTo(7);
        assertThat(threads)
                .allSatisfy(thread -> assertThat(rows("docs/concurrency.md", "| `" + thread + "`"))
                        .as(thread)
                        .hasSize(1));
    }

    @Test
    void eachLockIsInTheTableOfLocks() throws IOException {
        List<String> rows = rows("docs/concurrency.md", "| `").stream()
                .map(row -> row.substring(2, row.indexOf('|', 2)))
                .toList();

        assertThat(locks()).hasSizeGreaterThanOrEqualTo(35);
        assertThat(locks())
                .allSatisfy(lock -> assertThat(rows)
                        .as(lock)
                        .anySatisfy(row -> assertThat(row).contains("`" + lock + "`")));
    }

    @Test
    void onlyVirtualThreadsOfACacheAreCalledVirtual() throws IOException {
        Set<String> virtual = names("ofVirtual\\(\\)\\s*\\.name\\(\"(millrace-cache-[a-z]+)\"");

        assertThat(virtual).hasSizeGreaterThanOrEqualTo(4);
        assertThat(rows("docs/concurrency.md", "| `millrace-cache-")).allSatisfy(row -> {
            String thread = row.replaceAll("\\| `([a-z-]+)`.*", "$1");
            assertThat(row.startsWith("| `" + thread + "` (virtual) |")).as(row).isEqualTo(virtual.contains(thread));
        });
    }

    @Test
    void eachEventOfACacheHasARow() throws IOException {
        Set<String> events = names("@Name\\(\"(io\\.millrace\\.[A-Za-z]+)\"\\)");

        assertThat(events).hasSizeGreaterThanOrEqualTo(5);
        assertThat(events)
                .allSatisfy(event -> assertThat(rows("docs/troubleshooting.md", "| `" + event + "`"))
                        .as(event)
                        .hasSize(1));
    }

    @Test
    void eachStepOfACacheErrorIsListed() throws IOException {
        Set<String> steps = names("(?:recordError|runForEach|value|change)\\(\"([a-zA-Z]+)\"");

        assertThat(steps).hasSizeGreaterThanOrEqualTo(12);
        assertThat(rows("docs/troubleshooting.md", "| `io.millrace.CacheError`"))
                .singleElement()
                .satisfies(row ->
                        assertThat(steps).allSatisfy(step -> assertThat(row).contains("`" + step + "`")));
    }
}
