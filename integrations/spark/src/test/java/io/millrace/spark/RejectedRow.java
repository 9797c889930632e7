// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A line of a rejects file whose rows have the column {@code id}. */
record RejectedRow(long id, String reason, String message) {

    private static final Pattern LINE = Pattern.compile(
            "\\{.*\"reason\":\"([^\"]*)\",\"message\":\"(.*)\",\"attempt\":.*\"row\":\\{\"id\":(\\d+).*}");

    /** All rows of the rejects files in {@code folder}, in the order of their ids. */
    static List<RejectedRow> in(Path folder) throws IOException {
        List<RejectedRow> rows = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                assertThat(file.getFileName().toString()).matches("part-.*\\.jsonl|\\.part-.*\\.crc");
                if (file.toString().endsWith(".jsonl")) {
                    Files.readAllLines(file).forEach(line -> rows.add(parse(line)));
                }
            }
        }
        rows.sort(Comparator.comparingLong(RejectedRow::id));
        return rows;
    }

    private static RejectedRow parse(String line) {
        Matcher matcher = LINE.matcher(line);
        assertThat(matcher.matches()).as(line).isTrue();
        return new RejectedRow(Long.parseLong(matcher.group(3)), matcher.group(1), matcher.group(2));
    }
}
