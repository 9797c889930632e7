// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Checks that the man pages and the completion of the shell, in the folder {@code dist}, have the current options. To
 * generate the files again: {@code ./mvnw -pl apps/cli -am test -Dtest=ManPagesTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true}
 */
class ManPagesTest {

    private static final Path DIST = Path.of("../../dist");

    @Test
    void manPagesHaveTheCurrentOptions(@TempDir Path folder) throws IOException {
        int code = ManPageGenerator.generateManPage(
                folder.toFile(),
                null,
                new boolean[0],
                true,
                specs(PicocliModel.millrace()).toArray(CommandSpec[]::new));

        assertThat(code).isZero();
        check(DIST.resolve("man"), texts(folder));
    }

    @Test
    void completionHasTheCurrentOptions() throws IOException {
        check(
                DIST.resolve("completion"),
                Map.of("millrace.bash", AutoComplete.bash("millrace", PicocliModel.millrace())));
    }

    @Test
    void completionOfZshHasTheCurrentOptions() throws IOException {
        check(DIST.resolve("completion"), Map.of("_millrace", ZshCompletion.of(PicocliModel.millrace())));
    }

    private static List<CommandSpec> specs(CommandLine millrace) {
        return Stream.concat(Stream.of(millrace), millrace.getSubcommands().values().stream())
                .map(CommandLine::getCommandSpec)
                .toList();
    }

    private static Map<String, String> texts(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                texts.put(file.getFileName().toString(), asManPage(Files.readString(file)));
            }
        }
        return texts;
    }

    /** In a man page, headings do not end in a colon, and there is no section without text. */
    private static String asManPage(String text) {
        return text.replaceAll("(?m)^(== .*):$", "$1").replaceAll("== Description\n\n+(?=//)", "");
    }

    private static void check(Path folder, Map<String, String> expected) throws IOException {
        for (Map.Entry<String, String> file : expected.entrySet()) {
            Path path = folder.resolve(file.getKey());
            if (Boolean.getBoolean("millrace.write")) {
                Files.createDirectories(folder);
                Files.writeString(path, file.getValue());
            }
            assertThat(path)
                    .as("the comment at the top of this test shows how to generate the file")
                    .hasContent(file.getValue());
        }
    }
}
