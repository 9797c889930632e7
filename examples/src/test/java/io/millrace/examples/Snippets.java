// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts snippets out of the examples and inserts them into documents.
 *
 * <p>In a source file, a snippet is between the lines {@code // snippet: name} and {@code // end}. In a document, the
 * content of the code fence below {@code <!-- snippet: Batch.java batch -->} is replaced.
 *
 * @param java folders of the examples in Java; the first folder with the file is used
 * @param groovy folder of the Groovy scripts
 * @param scala folder of the examples in Scala
 */
record Snippets(List<Path> java, Path groovy, Path scala) {

    private static final Pattern FENCE = Pattern.compile(
            "(<!-- snippet: (?<file>\\w+\\.(?<language>java|groovy|scala)) (?<name>[\\w-]+) -->\n```\\k<language>\n)"
                    + "(?<code>.*?)(```\n)",
            Pattern.DOTALL);

    private static final Pattern MARKER = Pattern.compile("<!-- snippet:");

    /**
     * Returns the text of a document: a copy of {@code text} in which each snippet is replaced by the current code of
     * the examples.
     */
    String renew(String text) {
        if (FENCE.matcher(text).results().count()
                != MARKER.matcher(text).results().count()) {
            throw new IllegalArgumentException(
                    "a snippet marker must be like <!-- snippet: Batch.java batch -->, directly above a fence of the same language");
        }
        return FENCE.matcher(text)
                .replaceAll(fence -> Matcher.quoteReplacement(fence.group(1)
                        + cut(fence.group("file"), fence.group("name"))
                        + fence.group(fence.groupCount())));
    }

    /** Returns the number of snippets in the document {@code text}. */
    static long count(String text) {
        return FENCE.matcher(text).results().count();
    }

    private String cut(String file, String name) {
        Matcher snippet = Pattern.compile(
                        "^ *// snippet: " + name + "\n(.*?)^ *// end\n", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(read(folderOf(file).resolve(file)));
        return snippet.results()
                .findFirst()
                .map(MatchResult::group)
                .map(lines -> lines.substring(lines.indexOf('\n') + 1, lines.lastIndexOf('\n', lines.length() - 2) + 1))
                .map(lines -> lines.stripTrailing().stripIndent() + "\n")
                .orElseThrow(() -> new IllegalArgumentException("snippet not found: file=" + file + ", name=" + name
                        + ". It begins with \"// snippet: " + name + "\" and ends with \"// end\"."));
    }

    private Path folderOf(String file) {
        return switch (file.substring(file.lastIndexOf('.'))) {
            case ".groovy" -> groovy;
            case ".scala" -> scala;
            default ->
                java.stream()
                        .filter(folder -> Files.exists(folder.resolve(file)))
                        .findFirst()
                        .orElse(java.getFirst());
        };
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
