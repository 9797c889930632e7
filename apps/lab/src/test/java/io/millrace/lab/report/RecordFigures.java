// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The newest complete record, and the figures of documents that no record confirms. */
public final class RecordFigures {

    /** Code, links, comments, headings, versions and the words of statistics, which have no figures of measurements. */
    private static final Pattern NO_FIGURES = Pattern.compile(
            "```.*?```|`[^`\\n]*`|<!--.*?-->|\\]\\([^)]*\\)|^#.*?$|(?:Redis|Valkey) [\\d.]+|95 % interval",
            Pattern.DOTALL | Pattern.MULTILINE);

    /** A number with a unit of time, size or rate, a percentage, a factor, or a number with one decimal point. */
    private static final Pattern FIGURE = Pattern.compile(
            "(?<![\\w.,@-])\\d[\\d,]*(?:\\.\\d+)?(?: ?(?:ns|µs|ms|s|%|MB|MiB|GB|GiB|KB|KiB|bytes|seconds?|times)(?!\\w)"
                    + "| (?:a|per) second|/s\\b)|(?<![\\w.,-])\\d+\\.\\d+(?![.\\d]|-|\\w)");

    /** The interval that may follow a figure. */
    private static final Pattern INTERVAL = Pattern.compile("^[^.\\n|]{0,12}\\([\\d.,]+ to [\\d.,]+[^)]*\\)");

    /** The newest record below {@code runs} of all experiments in full size, at a clean commit. */
    public static Optional<Path> newestComplete(Path runs) {
        try (Stream<Path> files = Files.walk(runs)) {
            return files.filter(file -> file.endsWith("report.json"))
                    .filter(file -> isComplete(environment(file)))
                    .max(Comparator.comparing(
                            file -> environment(file).path("date").asString("")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of the experiments whose figures are in {@code record}. */
    public static List<String> experiments(Path record) throws IOException {
        return ReadReport.parse(Files.readString(record)).experiments().stream()
                .map(ReadReport.ReadExperiment::name)
                .toList();
    }

    /** What a document says in the place of the findings of an experiment that is newer than the record. */
    public static String notMeasured(String experiment) {
        return Markdown.notMeasured(experiment);
    }

    private static boolean isComplete(JsonNode environment) {
        String commit = environment.path("commit").asString("+");
        return environment.path("complete").asBoolean(false) && !commit.contains("+");
    }

    private static JsonNode environment(Path file) {
        try {
            return ReadReport.parse(Files.readString(file)).environment();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The figures of {@code document} that have neither a marker nor an interval, each with the text around. */
    static List<String> unmarked(String document) {
        String prose = NO_FIGURES
                .matcher(Markdown.PLACE.matcher(document).replaceAll(" "))
                .replaceAll(" ");
        return FIGURE.matcher(prose)
                .results()
                .filter(figure ->
                        !INTERVAL.matcher(prose.substring(figure.end())).find() && !isInsideInterval(prose, figure))
                .map(figure -> prose.substring(
                                Math.max(0, figure.start() - 30), Math.min(prose.length(), figure.end() + 10))
                        .replace('\n', ' '))
                .toList();
    }

    private static boolean isInsideInterval(String prose, MatchResult figure) {
        int open = prose.lastIndexOf('(', figure.start());
        int close = prose.indexOf(')', figure.end());
        return open >= 0
                && close >= 0
                && prose.substring(open, close + 1).matches("\\([\\d.,]+ to [\\d.,]+[^)(]{0,20}\\)");
    }

    private RecordFigures() {}
}
