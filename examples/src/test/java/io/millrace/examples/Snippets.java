// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts pieces out of the examples and puts them into documents.
 *
 * <p>A piece begins in the source below {@code // snippet: name} and ends above {@code // end}. In a document a fence stands
 * below {@code <!-- snippet: Batch.java batch -->}, and what is in it is replaced.
 *
 * @param sources the folder of the examples
 */
record Snippets(Path sources) {

    private static final Pattern FENCE = Pattern.compile(
            "(<!-- snippet: (?<file>\\w+\\.java) (?<name>[\\w-]+) -->\n```java\n)(?<code>.*?)(```\n)", Pattern.DOTALL);

    private static final Pattern MARKER = Pattern.compile("<!-- snippet:");

    /** The document {@code text} as it must be. */
    String renew(String text) {
        if (FENCE.matcher(text).results().count()
                != MARKER.matcher(text).results().count()) {
            throw new IllegalArgumentException(
                    "a marker is not as <!-- snippet: Batch.java batch -->, above a java fence");
        }
        return FENCE.matcher(text)
                .replaceAll(fence -> Matcher.quoteReplacement(fence.group(1)
                        + cut(fence.group("file"), fence.group("name"))
                        + fence.group(fence.groupCount())));
    }

    /** How many pieces there are in the document {@code text}. */
    static long count(String text) {
        return FENCE.matcher(text).results().count();
    }

    private String cut(String file, String name) {
        Matcher piece = Pattern.compile(
                        "^ *// snippet: " + name + "\n(.*?)^ *// end\n", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(read(sources.resolve(file)));
        return piece.results()
                .findFirst()
                .map(MatchResult::group)
                .map(lines -> lines.substring(lines.indexOf('\n') + 1, lines.lastIndexOf('\n', lines.length() - 2) + 1))
                .map(lines -> lines.stripTrailing().stripIndent() + "\n")
                .orElseThrow(() -> new IllegalArgumentException("there is no such snippet: file=" + file + ", name="
                        + name + ". It begins with \"// snippet: " + name + "\" and ends with \"// end\"."));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
