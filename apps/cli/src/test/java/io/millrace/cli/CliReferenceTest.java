// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that docs/cli.md has the current help texts. To generate the file again: {@code ./mvnw -pl apps/cli -am test
 * -Dtest=CliReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true}
 */
class CliReferenceTest {

    private static final Path REFERENCE = Path.of("../../docs/cli.md");

    @Test
    void referenceMatchesTheHelpTexts() throws IOException {
        String generated = generate();
        if (Boolean.getBoolean("millrace.write")) {
            Files.createDirectories(REFERENCE.getParent());
            Files.writeString(REFERENCE, generated);
        }

        assertThat(Files.readString(REFERENCE))
                .as("docs/cli.md is out of date; the comment at the top of this test shows how to generate it")
                .isEqualTo(generated);
    }

    private static String generate() {
        return """
                # The command line

                <!-- Generated from the help texts by CliReferenceTest: edit the help texts. -->

                [load.md](load.md) describes the mapping of rows and the guarantees of the report,
                [doctor.md](doctor.md) the examination of a server.

                """
                + section("millrace", "--help")
                + section("millrace load", "load", "--help")
                + section("millrace verify", "verify", "--help")
                + section("millrace doctor", "doctor", "--help")
                + section("millrace run", "run", "--help")
                + section("millrace bitmap", "bitmap", "--help")
                + section("millrace queue", "queue", "--help")
                + section("millrace demo", "demo", "--help");
    }

    private static String section(String title, String... args) {
        CliRun run = CliRun.of(args);
        assertThat(run.code()).isZero();
        return "## " + title + "\n\n```text\n" + run.out().stripTrailing().replace(System.lineSeparator(), "\n")
                + "\n```\n\n";
    }
}
