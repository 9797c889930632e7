// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.measure.Environment;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A folder with everything about one run. The lab never changes a record. */
final class RunRecord {

    /** The environment adds this to the commit if files are changed. */
    static final String CHANGES = "+changes";

    /**
     * Checks that {@code folder} does not exist, and that the commit tells which program was measured.
     *
     * @throws LabException if the record cannot be written
     */
    static void requireNew(Path folder, Environment environment) {
        if (Files.exists(folder)) {
            throw new LabException("--out exists already: folder=" + folder
                    + ". The lab does not overwrite a record. Name a new folder.");
        }
        Path parent = existingParent(folder);
        if (!Files.isDirectory(parent) || !Files.isWritable(parent)) {
            throw new LabException("--out cannot be written: folder=" + folder + ". Name another folder.");
        }
        boolean isClean =
                environment.commit().isPresent() && !environment.commit().get().endsWith(CHANGES);
        if (!isClean) {
            throw new LabException("--out needs a commit without changes: commit="
                    + environment.commit().orElse("unknown") + ". Commit first.");
        }
    }

    private static Path existingParent(Path folder) {
        return Stream.iterate(folder.toAbsolutePath(), path -> path != null, Path::getParent)
                .filter(Files::exists)
                .findFirst()
                .orElse(folder);
    }

    /** Writes {@code files} into the new {@code folder}, and adds a line to the list of records if there is one. */
    static void write(Path folder, Map<String, String> files, String command, Environment environment)
            throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        Files.createDirectories(Optional.ofNullable(absolute.getParent()).orElse(absolute));
        Files.createDirectory(absolute);
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(absolute.resolve(file.getKey()), file.getValue(), StandardCharsets.UTF_8);
        }
        Optional<Path> list = listOf(absolute);
        if (list.isPresent()) {
            append(list.get(), absolute, command, environment);
        }
    }

    /** The file {@code README.md} in the nearest folder {@code runs} above the record. */
    private static Optional<Path> listOf(Path folder) {
        return Stream.iterate(folder.getParent(), path -> path != null, Path::getParent)
                .filter(path -> path.endsWith("runs"))
                .map(path -> path.resolve("README.md"))
                .filter(Files::exists)
                .findFirst();
    }

    private static void append(Path list, Path folder, String command, Environment environment) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(list));
        int last = lines.size();
        while (last > 0 && !lines.get(last - 1).startsWith("|")) {
            last--;
        }
        if (last == 0) {
            throw new LabException("the list of records has no table: file=" + list + ". Add the record by hand.");
        }
        lines.add(
                last,
                line(Optional.ofNullable(list.getParent()).orElse(list).relativize(folder), command, environment));
        Files.write(list, lines, StandardCharsets.UTF_8);
    }

    private static String line(Path folder, String command, Environment environment) {
        String load = environment.loadAverage().stream()
                .mapToObj(average -> String.format(Locale.ROOT, ", load average %.2f", average))
                .collect(Collectors.joining());
        return String.format(
                "| [%1$s](%1$s/table.txt) | %2$s, commit %3$s, %4$s%5$s: `%6$s` |",
                folder,
                LocalDate.ofInstant(environment.date(), ZoneOffset.UTC),
                environment.commit().orElse("unknown"),
                environment.cpu().orElse("unknown processor"),
                load,
                command.replace("|", "\\|"));
    }

    private RunRecord() {}
}
