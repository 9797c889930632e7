// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Keeps docs/cli.md as the help texts are. To write it anew:
 * {@code ./mvnw -pl apps/cli -am test -Dtest=CliReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true}
 */
class CliReferenceTest {

    private static final Path REFERENCE = Path.of("../../docs/cli.md");

    @Test
    void theReferenceIsWhatHelpSays() throws IOException {
        String generated = generate();
        if (Boolean.getBoolean("millrace.write")) {
            Files.createDirectories(REFERENCE.getParent());
            Files.writeString(REFERENCE, generated);
        }

        assertThat(Files.readString(REFERENCE))
                .as("docs/cli.md is stale; the comment at the head of this test says how to write it anew")
                .isEqualTo(generated);
    }

    private static String generate() {
        return """
                # The command line

                <!-- Written from the help texts by CliReferenceTest; edit those. -->

                [load.md](load.md) says what becomes of rows, and what the report promises.

                """
                + section("millrace", "--help")
                + section("millrace load", "load", "--help")
                + section("millrace demo", "demo", "--help");
    }

    private static String section(String title, String... args) {
        Run run = Run.of(args);
        assertThat(run.code()).isZero();
        return "## " + title + "\n\n```text\n" + run.out().stripTrailing().replace(System.lineSeparator(), "\n")
                + "\n```\n\n";
    }
}
